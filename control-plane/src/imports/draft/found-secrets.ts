import { entryOf } from '@probe-mesh/contracts/secret/secret-host'
import { firstFreeName } from '../../secrets/new-secrets.ts'
import { secretCharactersMax, secretCharactersMin } from '@probe-mesh/contracts/secret/secret'

/** A credential of an import, with the name that texts have instead: {{ secret.name }}. */
export type FoundSecret = { name: string; hosts: string[]; value: string }

/** Collects the credentials of one import. */
export type SecretFinder = {
  /** @returns the text that names the secret. @param label the header or field that has the value */
  refer(label: string, value: string, url: URL): string
  readonly found: readonly FoundSecret[]
  /** Credentials that no secret can hold, in words. */
  readonly problems: readonly string[]
}

const nameCharactersMax = 50

/** @param taken the names of secrets that the account has */
export const createSecretFinder = (taken: Iterable<string>): SecretFinder => {
  const names = new Set(taken)
  const found: FoundSecret[] = []
  const problems: string[] = []
  return {
    found,
    problems,
    refer: (label, value, url) => {
      const entry = entryOf(url)
      if (isReference(value)) return value
      if (value.length < secretCharactersMin || value.length > secretCharactersMax || value.trim() === '') {
        problems.push(
          `The value of ${label} has ${value.length} characters; a secret has ${secretCharactersMin} to ${secretCharactersMax}, so that it can be masked in answers. Use a longer credential.`,
        )
        return ''
      }
      const same = found.find((each) => each.value === value && each.hosts.includes(entry))
      if (same !== undefined) return referenceTo(same.name)
      const name = freeName(label, names)
      names.add(name)
      found.push({ name, hosts: [entry], value })
      return referenceTo(name)
    },
  }
}

const isReference = (value: string): boolean => /^\s*\{\{\s*secret\.\w+\s*\}\}\s*$/.test(value)

export const referenceTo = (name: string): string => `{{ secret.${name} }}`

/** `X-Api-Key` becomes `x_api_key`, or `x_api_key_2` where that is taken. */
export const freeName = (label: string, taken: ReadonlySet<string>): string => {
  const plain = snakeCase(label).slice(0, nameCharactersMax)
  const name = /^[a-z]/.test(plain) ? plain : `secret_${plain}`.replace(/_$/, '')
  return firstFreeName(name, taken)
}

/** `userPassword` and `User-Password` become `user_password`. */
export const snakeCase = (name: string): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_|_$/g, '')
