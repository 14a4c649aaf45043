/** The name of the blob with the picture of a user. */
export function profilePictureOf(userId: string): string {
  return `account/profile-pictures/${userId}`
}
