// Loaded into a host with --import and --expose-gc: SIGUSR2 collects its garbage.
process.on('SIGUSR2', () => {
  globalThis.gc?.()
  globalThis.gc?.()
})
