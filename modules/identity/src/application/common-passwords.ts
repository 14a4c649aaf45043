let list: Promise<ReadonlySet<string>> | undefined

/**
 * Some 49,000 passwords that people were found to use most, in lower case (zxcvbn's list). Read when it is
 * first asked for: it takes 70 ms and some megabytes, which hosts that set no passwords do not need.
 */
export function commonPasswords(): Promise<ReadonlySet<string>> {
  list ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common'] as readonly string[]),
  )
  return list
}
