import { type Configuration, configurationSection } from '@keel/framework'
import { emailAddress, z } from '@keel/framework/contracts'
import { Admin } from '../contracts/index.js'
import { isUserName } from '../domain/user-name.js'
import { administrators, type SeededUser } from '../seeded-users/index.js'

/**
 * People of a deployment who are to be administrators, beside {@link administrators}. An entry `admin` says
 * more of that one.
 */
export const SeededAdministrators = configurationSection('Identity', {
  /** Their user names, with names and e-mail addresses if wanted. */
  administrators: z
    .array(
      z.object({
        userName: z.string().max(256).refine(isUserName, 'letters, digits and -._@+'),
        name: z.string().max(64).optional(),
        surname: z.string().max(64).optional(),
        email: emailAddress.optional(),
      }),
    )
    .default([]),
})

/** Every administrator that this configuration asks for. */
export function administratorsOf(configuration: Configuration): SeededUser[] {
  const named = configuration.read(SeededAdministrators).administrators
  const users = new Map(administrators.map((user) => [user.userName.toLowerCase(), user]))
  for (const { userName, name = userName, surname = null, email } of named)
    users.set(userName.toLowerCase(), { userName, name, surname, email, role: Admin })
  return [...users.values()]
}
