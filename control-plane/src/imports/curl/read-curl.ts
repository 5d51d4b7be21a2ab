import { timeoutSecondsMax } from '@probe-mesh/contracts/check/check-timeout'
import type { ImportedHttpCheck } from '@probe-mesh/contracts/check/check-import'
import type { HttpRequest } from '@probe-mesh/contracts/check/request-options'
import { StepMethod } from '@probe-mesh/contracts/reading/reading-details'
import { limits } from '@probe-mesh/contracts/schema/limits'
import type { PlainRequest } from '../draft/credentials.ts'
import type { SecretFinder } from '../draft/found-secrets.ts'
import { httpCheckOf } from '../draft/http-check-of.ts'
import type { Read } from '../draft/read.ts'
import { emptyCommand, type Command } from './command.ts'
import { connectToOf } from './curl-addresses.ts'
import { headersOf } from './curl-headers.ts'
import { givenIn, type Given } from './curl-options.ts'
import { pinsOf } from './curl-pins.ts'
import { urlOf } from './curl-url.ts'
import { shellWords } from './shell-words.ts'

const curlCharactersMax = 40_000

/**
 * Reads a curl command as browsers and documents write it. Nothing is run, and no file is read.
 * @param secrets takes the credentials of the command
 */
export const readCurl = (text: string, secrets: SecretFinder): Read<{ check: ImportedHttpCheck }> => {
  if (text.length > curlCharactersMax)
    return { problems: [`The command has ${text.length} characters; ${curlCharactersMax} are allowed.`] }
  const split = shellWords(text.trim().replace(/^\$\s+/, ''))
  if ('problem' in split) return { problems: [split.problem] }
  const [program, ...words] = split.words
  const shellNotes = split.note === undefined ? [] : [split.note]
  if (!/^(?:.*[/\\])?curl(?:\.exe)?$/.test(program ?? ''))
    return { problems: ['The command must begin with curl.'] }
  const command = commandOf(givenIn(words))
  const request = requestOf(command)
  const { notes, problems, extra } = command
  if (request === null) return { problems }
  const { check, problems: more } = httpCheckOf(request, extra, secrets, notes)
  const all = [...problems, ...more]
  if (command.followsRedirects && isConnectedOtherwise(check.request ?? {}))
    notes.add(
      'A redirect to another scheme, host or port goes where its URL says, with the Host of its URL and any valid certificate.',
    )
  return all.length > 0 ? { problems: all } : { check, warnings: [...shellNotes, ...notes.list()] }
}

const isConnectedOtherwise = ({ connectTo, hostHeader, pins }: HttpRequest): boolean =>
  [connectTo, hostHeader, pins].some((each) => each !== undefined)

const commandOf = (given: readonly Given[]): Command => {
  const command = emptyCommand()
  for (const each of given) {
    if ('problem' in each) command.problems.push(each.problem)
    else if ('url' in each) command.urls.push(each.url)
    else if (each.option.kind === 'refused') command.problems.push(`${each.written}: ${each.option.why}.`)
    else if (each.option.kind === 'left_out')
      command.notes.add(`${each.written} is left out. ${each.option.why}.`)
    else if (each.option.kind === 'read') readers[each.name]?.(command, each.value, each.written)
  }
  return command
}

const file = (command: Command, written: string): void => {
  command.problems.push(
    `${written}: A check reads no files. Paste the content in place of the name of the file.`,
  )
}

const data = (command: Command, value: string, written: string): void => {
  if (value.startsWith('@')) file(command, written)
  else command.data.push(value)
}

const readers: Readonly<Record<string, (command: Command, value: string, written: string) => void>> = {
  '--url': (command, value) => void command.urls.push(value),
  '--request': (command, value) => {
    command.method = value
  },
  '--get': (command) => {
    command.isGet = true
  },
  '--head': (command) => {
    command.isHead = true
  },
  '--data': data,
  '--data-ascii': data,
  '--data-binary': data,
  '--data-raw': (command, value) => void command.data.push(value),
  '--json': (command, value, written) => {
    if (value.startsWith('@')) return file(command, written)
    // it is joined to what is before without a sign between them
    command.data.push(`${command.data.pop() ?? ''}${value}`)
    command.isJson = true
  },
  '--data-urlencode': (command, value, written) => {
    if (/^[^=]*@/.test(value)) return file(command, written)
    command.data.push(encodedData(value))
  },
  '--url-query': (command, value, written) => {
    if (/^[^=+]*@/.test(value)) return file(command, written)
    command.query.push(value.startsWith('+') ? value.slice(1) : encodedData(value))
  },
  '--header': (command, value, written) => {
    if (value.startsWith('@')) return file(command, written)
    const at = value.search(/[:;]/)
    // curl sends a name with its spaces, which is none
    const name = value.slice(0, Math.max(0, at))
    const text = value.slice(at + 1).trim()
    if (at > 0 && /\s$/.test(value.slice(0, at)))
      command.problems.push(`${written} ${name.slice(0, 100)}: a header has no space before its colon.`)
    else if (name.trim() === '') command.problems.push(`${written}: a header needs a colon.`)
    else if (value[at] === ';' && text !== '')
      command.problems.push(
        `${written}: curl sends no header ${name.slice(0, 100)} with a ; in place of the colon.`,
      )
    else command.headers.push([name, text === '' && value[at] === ':' ? null : text])
  },
  '--cookie': (command, value, written) => {
    if (value.includes('=')) command.cookies.push(value.trim())
    else file(command, written)
  },
  '--user': (command, value, written) => {
    const [, username = '', password] = /^([^:]*):(.*)$/s.exec(value) ?? []
    if (password === undefined)
      command.problems.push(`${written} has no password. Write it as name:password, or name: for none.`)
    else command.basic = { username, password }
  },
  '--oauth2-bearer': (command, value) => void command.ownHeaders.set('Authorization', `Bearer ${value}`),
  '--referer': (command, value, written) => {
    const referer = value.replace(/;auto$/, '')
    if (referer !== value)
      command.notes.add(`${written}: a check sends no Referer to where it is redirected.`)
    if (referer !== '') command.ownHeaders.set('Referer', referer)
  },
  '--range': (command, value) =>
    void command.ownHeaders.set('Range', `bytes=${/^\d+$/.test(value) ? `${value}-` : value}`),
  '--user-agent': (command, value) => {
    if (value === '') command.notes.of('own', 'user-agent')
    else command.ownHeaders.set('User-Agent', value)
  },
  '--compressed': (command) => command.notes.of('own', 'accept-encoding'),
  '--globoff': (command) => {
    command.isGlobOff = true
  },
  '--location': (command) => {
    command.followsRedirects = true
  },
  '--location-trusted': (command, _, written) => {
    command.followsRedirects = true
    command.notes.add(`${written}: a check sends its credentials to the host of its URL only.`)
  },
  '--no-location': (command) => {
    command.followsRedirects = false
  },
  '--resolve': (command, value) => void command.resolve.push(value),
  '--connect-to': (command, value) => void command.connectTo.push(value),
  '--pinnedpubkey': (command, value) => void command.pins.push(value),
  '--max-redirs': (command, value, written) => {
    if (value === '0') command.extra.redirects = 'never'
    else
      command.notes.add(`${written} ${value}: a check follows ${limits.redirectHopsMax} redirects at most.`)
  },
  '--max-time': (command, value, written) => {
    const given = Number(value)
    if (Number.isNaN(given) || given < 0)
      command.problems.push(`${written} ${value.slice(0, 20)} is no time in s.`)
    if (!(given > 0)) return
    const seconds = Math.min(Math.ceil(given), timeoutSecondsMax)
    command.extra.timeoutSeconds = seconds
    if (given > timeoutSecondsMax)
      command.notes.add(`${written} ${value}: a check waits ${timeoutSecondsMax} s at most.`)
    else if (seconds !== given)
      command.notes.add(`${written} ${value}: a check waits ${seconds} s, a whole number.`)
  },
  '--http1.1': (command) => {
    command.extra.httpVersion = '1.1'
  },
  '--http2': (command) => {
    command.extra.httpVersion = '2'
  },
  '--http2-prior-knowledge': (command) => {
    command.extra.httpVersion = '2'
  },
  '--ipv4': (command) => {
    command.extra.addressFamily = 'ipv4'
  },
  '--ipv6': (command) => {
    command.extra.addressFamily = 'ipv6'
  },
}

/** `name=text`, or `text`: the text is encoded as curl does it. */
const encodedData = (value: string): string => {
  const [, name, text] = /^([^=]*)=(.*)$/s.exec(value) ?? [undefined, '', value]
  const encoded = encodeURIComponent(text ?? '')
    .replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+')
  return name === '' ? encoded : `${name}=${encoded}`
}

/** The request that curl sends; null when it cannot be said, with the reasons in `problems`. */
const requestOf = (command: Command): PlainRequest | null => {
  const { problems, data, isGet } = command
  const url = urlOf(command)
  const body = data.length === 0 || isGet ? null : data.join('&')
  if (command.isHead && body !== null) problems.push('curl sends either -I or a body. Remove one of them.')
  const usual = command.isHead ? 'HEAD' : body === null ? 'GET' : 'POST'
  const written = command.method ?? usual
  const method = StepMethod.safeParse(written.toUpperCase())
  if (!method.success)
    problems.push(`The method ${written} is not possible; a check sends ${StepMethod.options.join(', ')}.`)
  else if (method.data !== written)
    problems.push(`The method ${written} is another than ${method.data}: write it in capitals.`)
  else if (method.data === 'HEAD' && body !== null)
    problems.push('A check sends no body with HEAD. Remove one of them.')
  if (url === null || !method.success) return null
  noteRedirects(command)
  const connectTo = connectToOf(url, command)
  const pins = pinsOf(url, command)
  command.extra = { ...command.extra, ...(connectTo && { connectTo }), ...(pins && { pins }) }
  command.basic = basicOf(url, command)
  return { method: method.data, url, body, ...headersOf(command, body) }
}

const noteRedirects = ({ followsRedirects, extra, method, notes }: Command): void => {
  if (extra.redirects === 'never') return
  if (!followsRedirects) notes.add('The check follows redirects; curl without -L does not.')
  // browsers keep these too
  else if (method !== null && method !== 'GET' && method !== 'HEAD')
    notes.add(
      `curl with -X repeats ${method.slice(0, 20)} at each redirect; the check follows redirects as browsers do.`,
    )
}

/** The credentials of -u, or those of the URL, which it loses. */
const basicOf = (url: URL, { basic, problems }: Command): PlainRequest['basic'] => {
  const { username, password } = url
  url.username = ''
  url.password = ''
  if (basic !== null || (username === '' && password === '')) return basic
  try {
    return { username: decodeURIComponent(username), password: decodeURIComponent(password) }
  } catch {
    problems.push('The credentials of the URL are not UTF-8 with % in hexadecimal. Write them with -u.')
    return null
  }
}
