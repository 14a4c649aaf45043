/** The lock that lets one use case after the other work on what a user signs in with, in whichever process. */
export const accountLock = (userId: string): string => `account ${userId}`
