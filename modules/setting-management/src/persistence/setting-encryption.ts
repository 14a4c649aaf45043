import { Configuration, configurationSection, Injectable, StartupError } from '@keel/framework'
import { BusinessError, z } from '@keel/framework/contracts'
import { SettingErrors } from '../contracts/index.js'
import { decrypt, type EncryptionKey, encrypt, keyOf } from '../domain/encrypted-text.js'

const passPhrase = z.string().min(16, 'expected 16 characters or more')

/** The passphrase that encrypts settings at rest, by ABP's name. */
export const StringEncryption = configurationSection('StringEncryption', {
  /** Any long random text, the same for every host of a system. Development has one of its own. */
  defaultPassPhrase: passPhrase.optional(),
  /** Those of before: what they encrypted is still read, and is encrypted anew when it is next set. */
  previousPassPhrases: z.array(passPhrase).default([]),
})

const ofDevelopment = 'Keel Development: everybody knows this pass phrase'

/**
 * Throws a {@link StartupError} when another environment than Development encrypts with the pass phrase that
 * is published for it.
 */
export function refusePublishedPassPhrase(configuration: Configuration): void {
  const { defaultPassPhrase } = configuration.read(StringEncryption)
  if (!configuration.isDevelopment && defaultPassPhrase === ofDevelopment)
    throw new StartupError(
      'StringEncryption:DefaultPassPhrase is that of Development, which is published: set one of your own',
    )
}

/** Encrypts with the pass phrase of the configuration, and decrypts with that or an earlier one. */
@Injectable()
export class SettingEncryption {
  private readonly passPhrases: readonly string[]
  private readonly canEncrypt: boolean
  private made: readonly EncryptionKey[] | undefined

  constructor(configuration: Configuration) {
    const { defaultPassPhrase, previousPassPhrases } = configuration.read(StringEncryption)
    const current = defaultPassPhrase ?? (configuration.isDevelopment ? ofDevelopment : undefined)
    this.canEncrypt = current !== undefined
    this.passPhrases = [...(current === undefined ? [] : [current]), ...previousPassPhrases]
  }

  /** Throws {@link BusinessError} when the configuration has no pass phrase. */
  encrypt(text: string, place: string): string {
    const [key] = this.keys
    if (!this.canEncrypt || !key) throw new BusinessError(SettingErrors.PassPhraseMissing)
    return encrypt(text, key, place)
  }

  /** Undefined for what none of the pass phrases opens. */
  decrypt(encrypted: string, place: string): string | undefined {
    return decrypt(encrypted, this.keys, place)
  }

  /** Made when they are first needed: it takes a while, and most processes never need them. */
  private get keys(): readonly EncryptionKey[] {
    this.made ??= this.passPhrases.map(keyOf)
    return this.made
  }
}
