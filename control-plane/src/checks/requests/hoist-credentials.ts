import type { KeyObject } from 'node:crypto'
import { receiversOf, type HttpRequest } from '@probe-mesh/contracts/check/request-options'
import { normalChain, readPrivateKey, type Unusable } from '@probe-mesh/contracts/check/client-certificate'
import { hasPrivateKey } from '@probe-mesh/contracts/schema/private-key'
import { entryOf } from '@probe-mesh/contracts/secret/secret-host'
import { secretsIn } from '@probe-mesh/contracts/secret/secret-template'
import { firstFreeName, isCredentialHeader } from '../../secrets/new-secrets.ts'
import type { PlacedRequest } from './placed-requests.ts'
import { withoutEnd } from '@probe-mesh/runtime/without-end'

/** A credential in clear, which becomes a secret when its check is saved. */
export type FoundSecret = {
  name: string
  value: string
  hosts: readonly string[]
  /** The field that had it. */
  path: string
}

/**
 * Replaces passwords, tokens, private keys and the values of sensitive headers that name no secret by the names of new secrets, bound
 * to the host of their request, so that the config of a check never has them in clear.
 * @param taken names that secrets have
 */
export const hoistCredentials = (
  placed: readonly PlacedRequest[],
  taken: readonly string[],
): { requests: HttpRequest[]; found: FoundSecret[] } => {
  const found: FoundSecret[] = []
  const requests = placed.map(({ url, optionsPath, request }) => {
    const to = URL.parse(url)
    const host = to?.host ?? null
    const hosts = receiversOf(url, request).flatMap((receiver) => {
      const parsed = URL.parse(receiver)
      return parsed === null ? [] : [entryOf(parsed)]
    })
    const asSecret = (text: string, field: string, path: string): string => {
      if (to === null || host === null || text === '' || secretsIn([text]).length > 0) return text
      const known = found.find(
        (each) => each.value === text && hosts.every((entry) => each.hosts.includes(entry)),
      )
      const name = known?.name ?? newName(`${host}_${field}`, [...taken, ...found.map((each) => each.name)])
      if (known === undefined) found.push({ name, value: text, hosts, path: `${optionsPath}.${path}` })
      return `{{ secret.${name} }}`
    }
    return hoistRequest(request, asSecret)
  })
  return { requests, found }
}

type AsSecret = (text: string, field: string, path: string) => string

const hoistRequest = (request: HttpRequest, asSecret: AsSecret): HttpRequest => {
  const { auth, headers, clientCertificate } = request
  const hoisted = headers?.map(({ name, value }, index) => {
    const isSecret = isCredentialHeader(name) || hasPrivateKey(value)
    if (!isSecret || secretsIn([value]).length > 0) return { name, value }
    // the scheme, such as Bearer, is no secret
    const [, scheme = '', credential = value] = /^([A-Za-z][\w-]* +)(\S.*)$/.exec(value) ?? []
    const kept = name.toLowerCase() === 'authorization' ? scheme : ''
    const secret = kept === '' ? value : credential
    return { name, value: `${kept}${asSecret(secret, name, `headers[${index}].value`)}` }
  })
  return {
    ...request,
    ...(hoisted !== undefined && { headers: hoisted }),
    ...(auth?.type === 'basic' && {
      auth: { ...auth, password: asSecret(auth.password, 'password', 'auth.password') },
    }),
    ...(clientCertificate && { clientCertificate: hoistKey(clientCertificate, asSecret) }),
    ...(auth?.type === 'bearer' && { auth: { ...auth, token: asSecret(auth.token, 'token', 'auth.token') } }),
  }
}

/**
 * A key that was pasted with its certificate, or instead of the name of its secret. What cannot be used stays, and is
 * refused with its reason.
 */
const hoistKey = (
  { certificate, key }: NonNullable<HttpRequest['clientCertificate']>,
  asSecret: AsSecret,
): { certificate: string; key: string } => {
  const isNamed = secretsIn([key]).length > 0
  const isPasted = !isNamed && key.trim() !== ''
  const hasBeside = hasPrivateKey(certificate)
  const stored = (pem: string, known: KeyObject | null): string => {
    const chain = normalChain(pem, known)
    return typeof chain === 'string' ? chain : pem
  }
  if (isNamed) return { certificate: hasBeside ? certificate : stored(certificate, null), key }
  const [beside, pasted] = [
    hasBeside ? readPrivateKey(certificate) : null,
    isPasted ? readPrivateKey(key) : null,
  ]
  const found = pasted ?? beside
  // of two keys it is not clear which one is meant
  const isClear = beside === null || pasted === null || isSameKey(beside, pasted)
  if (found === null || 'problem' in found || !isClear) return { certificate, key }
  const path = isPasted ? 'key' : 'certificate'
  const value = String(found.export({ format: 'pem', type: 'pkcs8' }))
  return {
    certificate: stored(certificate, found),
    key: asSecret(value, keyField, `clientCertificate.${path}`),
  }
}

const isSameKey = (one: KeyObject | Unusable, other: KeyObject | Unusable): boolean =>
  !('problem' in one) && !('problem' in other) && one.equals(other)

/** Part of the name of a secret that is the key of a client certificate. */
export const keyField = 'client_key'

const nameCharactersMax = 64
const suffixCharacters = 4

/** A name from a host and a field that no secret has in any case, such as `api_example_com_x_api_key`. */
const newName = (text: string, taken: readonly string[]): string => {
  const words = withoutEnd(text.toLowerCase().replace(/\W+/g, '_').replace(/^_+/, ''), '_')
  const name = (/^[a-z]/.test(words) ? words : `at_${words}`).slice(0, nameCharactersMax - suffixCharacters)
  return firstFreeName(name, new Set(taken.map((each) => each.toLowerCase())))
}
