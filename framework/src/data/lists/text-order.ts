/**
 * Compares texts that people read, in the order of databases that we create (CLDR's root: `apple`, `Äpfel`, `Zebra`): for what a process
 * sorts by itself. English is sorted as the root is.
 */
export const compareTexts = new Intl.Collator('en').compare
