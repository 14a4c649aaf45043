/** The beginning of every API key, by which people and scanners for leaked secrets recognize one. */
export const apiKeyMark = 'keel_'
/** How many characters the part has that a key is found by. */
export const apiKeyPrefixLength = 16
