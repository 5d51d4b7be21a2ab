import { ContentType } from '@probe-mesh/contracts/check/request-options'
import type { PlainRequest } from '../draft/credentials.ts'
import { isBrowserNoise } from '../draft/request-headers.ts'
import type { Command } from './command.ts'

/** Headers that curl or the probe sends unless a command removes them, with what that means. */
const removed: Readonly<Record<string, 'own' | string>> = {
  accept: 'own',
  'user-agent': 'own',
  host: 'a request without it is no HTTP/1.1',
  'content-length': 'a check sends the length of the body',
}

/** The headers of a command as curl sends them, and the content type: those of `-H` go before those of other options. */
export const headersOf = (
  command: Command,
  body: string | null,
): Pick<PlainRequest, 'headers' | 'contentType' | 'basic'> => {
  const { ownHeaders, cookies, isJson, notes, problems } = command
  const headers = withOneHost(command)
  const given = new Set(headers.map(([name]) => name.toLowerCase()))
  for (const [name, value] of headers) {
    const fate = value === null ? removed[name.toLowerCase()] : undefined
    if (fate === 'own') notes.of('own', name)
    else if (fate !== undefined) problems.push(`The header ${name} cannot be removed: ${fate}.`)
    else if (isBrowserNoise(name)) notes.of('browser', name)
  }
  const set = new Map(ownHeaders)
  if (cookies.length > 0) set.set('Cookie', cookies.join(';'))
  if (isJson) set.set('Accept', 'application/json')
  const whole = [
    ...headers.flatMap(([name, value]): [string, string][] => (value === null ? [] : [[name, value]])),
    ...[...set].filter(([name]) => !given.has(name.toLowerCase())),
  ].filter(([name]) => !isBrowserNoise(name))
  // curl sends its own Authorization unless -H has or removes one
  const isOwnLogin = given.has('authorization') || ownHeaders.has('Authorization')
  return {
    headers: whole.filter(([name]) => !isContentType(name)),
    contentType: contentTypeOf(command, whole, { isGiven: given.has('content-type'), body }),
    basic: isOwnLogin ? null : command.basic,
  }
}

/** curl sends the first Host. One that removes its own lets the next take its place. */
const withOneHost = ({ headers, notes }: Command): Command['headers'] => {
  const isHost = ([name]: Command['headers'][number]): boolean => name.toLowerCase() === 'host'
  const hosts = headers.filter(isHost)
  const sent = hosts[0]?.[1] === null && hosts.length === 2 ? hosts[1] : hosts[0]
  for (const each of hosts) {
    if (each !== sent && each[1] !== null && hosts[0]?.[1] !== null)
      notes.add(`The header Host ${each[1].slice(0, 200)} is left out. curl sends the first, ${sent?.[1]}.`)
  }
  return headers.filter((each) => !isHost(each) || each === sent)
}

const contentTypeOf = (
  { isJson, problems }: Command,
  headers: readonly (readonly [string, string])[],
  { isGiven, body }: { isGiven: boolean; body: string | null },
): string | null => {
  const types = headers.filter(([name]) => isContentType(name)).map(([, value]) => value)
  if (types.length > 1) problems.push(`The command has ${types.length} content types; a check sends one.`)
  const [type = null] = types
  if (type !== null && !ContentType.safeParse(type).success) {
    problems.push(`The content type ${type.slice(0, 100)} cannot be sent: it is no media type.`)
    return null
  }
  if (isGiven) return type
  if (isJson) return 'application/json'
  return body === null ? null : 'application/x-www-form-urlencoded'
}

const isContentType = (name: string): boolean => name.toLowerCase() === 'content-type'
