/** True when a text can be a user name: ASP.NET Core Identity's letters, digits and `-._@+`. */
export function isUserName(text: string): boolean {
  return /^[0-9A-Za-z._@+-]{1,256}$/.test(text)
}
