/** True in the long form of the tests (`KEEL_TEST_LONG=1`, as `npm run test:long` sets it). */
export const isLong = Boolean(process.env.KEEL_TEST_LONG)

/** The size of a generated test: `usual` with every change, `promised` in the long form. */
export const sizeOf = (usual: number, promised: number): number => (isLong ? promised : usual)
