/** Where people see, add and remove their passkeys. */
export const passkeysPath = '/Account/Passkeys'

/** Where somebody adds a passkey. */
export const passkeySetupPath = '/Account/PasskeySetup'

/** What the script of a page hands to the authenticator, as JSON. */
export const passkeyOptionsPath = '/Account/PasskeyOptions'
