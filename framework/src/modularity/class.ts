/** Any class, also an abstract one. */
// biome-ignore lint/suspicious/noExplicitAny: constructors of all parameters
export type Class<T = object> = abstract new (...args: any[]) => T
/** A class that can be made. */
// biome-ignore lint/suspicious/noExplicitAny: constructors of all parameters
export type Constructor<T = object> = new (...args: any[]) => T
