/** The page of the auth server where an invitation is accepted; its parameter is `token`. */
export const invitationPath = '/Account/Invitation'
