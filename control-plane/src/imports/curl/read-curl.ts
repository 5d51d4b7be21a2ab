import { ContentType } from '@probe-mesh/contracts/check/request-options'
import { timeoutSecondsMax } from '@probe-mesh/contracts/check/check-timeout'
import type { ImportedHttpCheck } from '@probe-mesh/contracts/check/check-import'
import { StepMethod } from '@probe-mesh/contracts/reading/reading-details'
import { isBrowserNoise, type PlainRequest } from '../draft/credentials.ts'
import type { SecretFinder } from '../draft/found-secrets.ts'
import { httpCheckOf, type Extra } from '../draft/http-check-of.ts'
import type { Read } from '../draft/read.ts'
import { givenIn, type Given } from './curl-options.ts'
import { shellWords } from './shell-words.ts'

const curlCharactersMax = 40_000

/** What the options of one command say, in order. */
type Command = {
  urls: string[]
  method: string | null
  isGet: boolean
  isHead: boolean
  isJson: boolean
  /** null: the command removes curl's own header of this name. */
  headers: [name: string, value: string | null][]
  data: string[]
  query: string[]
  cookies: string[]
  basic: PlainRequest['basic']
  extra: Extra
  warnings: string[]
  problems: string[]
}

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
  if (!/^(?:.*[/\\])?curl(?:\.exe)?$/.test(program ?? ''))
    return { problems: ['The command must begin with curl.'] }
  const command = commandOf(givenIn(words))
  const request = requestOf(command)
  const { warnings, problems, extra } = command
  if (request === null) return { problems }
  const { check, problems: more } = httpCheckOf(request, extra, secrets, warnings)
  const all = [...problems, ...more]
  return all.length > 0 ? { problems: all } : { check, warnings }
}

const commandOf = (given: readonly Given[]): Command => {
  const command: Command = {
    urls: [],
    method: null,
    isGet: false,
    isHead: false,
    isJson: false,
    headers: [],
    data: [],
    query: [],
    cookies: [],
    basic: null,
    extra: {},
    warnings: [],
    problems: [],
  }
  for (const each of given) {
    if ('problem' in each) command.problems.push(each.problem)
    else if ('url' in each) command.urls.push(each.url)
    else if (each.option.kind === 'refused') command.problems.push(`${each.written}: ${each.option.why}.`)
    else if (each.option.kind === 'left_out')
      command.warnings.push(`${each.written} is left out. ${each.option.why}.`)
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
    // several are joined without a sign between them
    if (command.isJson) command.data.push(`${command.data.pop() ?? ''}${value}`)
    else command.data.push(value)
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
    const name = value.slice(0, Math.max(0, at)).trim()
    const text = value.slice(at + 1)
    if (name === '') command.problems.push(`${written}: a header needs a colon.`)
    else if (value[at] === ';' && text.trim() === '')
      command.warnings.push(`The header ${name} without a value is left out.`)
    else command.headers.push([name, text.trim() === '' ? null : text.trim()])
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
  '--oauth2-bearer': (command, value) => {
    command.headers.unshift(['Authorization', `Bearer ${value}`])
  },
  '--referer': (command, value) => {
    const referer = value.replace(/;auto$/, '')
    if (referer !== '') command.headers.unshift(['Referer', referer])
  },
  '--range': (command, value) => void command.headers.push(['Range', `bytes=${value}`]),
  '--user-agent': (command, value) => void command.headers.push(['User-Agent', value]),
  '--max-redirs': (command, value) => {
    if (value === '0') command.extra.redirects = 'never'
  },
  '--max-time': (command, value, written) => {
    const seconds = Math.ceil(Number(value))
    if (!(seconds >= 1)) return
    command.extra.timeoutSeconds = Math.min(seconds, timeoutSecondsMax)
    if (seconds > timeoutSecondsMax)
      command.warnings.push(`${written} ${value}: a check waits ${timeoutSecondsMax} s at most.`)
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
  const method = StepMethod.safeParse((command.method ?? usual).toUpperCase())
  if (!method.success)
    problems.push(
      `The method ${command.method} is not possible; a check sends ${StepMethod.options.join(', ')}.`,
    )
  if (url === null || !method.success) return null
  const { headers, contentType } = headersOf(command, body)
  const basic = basicOf(url, command.basic)
  return { method: method.data, url, headers, body, contentType, basic }
}

const urlOf = ({ urls, data, query, isGet, problems }: Command): URL | null => {
  const [text, ...others] = urls
  if (text === undefined) {
    problems.push('The command names no URL.')
    return null
  }
  if (others.length > 0) {
    problems.push(`The command names ${urls.length} URLs; a check has one. Paste each by itself.`)
    return null
  }
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    problems.push('The command needs a URL that begins with http:// or https://.')
    return null
  }
  const path = text.replace(/^[^/]*\/\/[^/]*/, '')
  const open = path.indexOf('[')
  if (/[{}]/.test(path) || (open !== -1 && path.includes(']', open)))
    problems.push('The URL has { } or [ ], which curl reads as several URLs. Encode them as %7B %7D %5B %5D.')
  const more = [...query, ...(isGet ? data : [])].join('&')
  if (more !== '') url.search += `${url.search === '' ? '' : '&'}${more}`
  url.hash = ''
  return url
}

/** The credentials of -u, or those of the URL, which it loses. */
const basicOf = (url: URL, given: PlainRequest['basic']): PlainRequest['basic'] => {
  const { username, password } = url
  url.username = ''
  url.password = ''
  if (given !== null || (username === '' && password === '')) return given
  return { username: decodeURIComponent(username), password: decodeURIComponent(password) }
}

/** The headers of the command, those of curl itself, and the content type. */
const headersOf = (
  { headers, cookies, isJson, warnings }: Command,
  body: string | null,
): Pick<PlainRequest, 'headers' | 'contentType'> => {
  const given = new Set(headers.map(([name]) => name.toLowerCase()))
  const set = (name: string, value: string): [string, string][] =>
    given.has(name.toLowerCase()) ? [] : [[name, value]]
  const noise = headers.filter(([name]) => isBrowserNoise(name)).map(([name]) => name.toLowerCase())
  if (noise.length > 0) warnings.push(`Headers of the browser are left out: ${noise.join(', ')}.`)
  const whole = [
    ...headers.flatMap(([name, value]): [string, string][] => (value === null ? [] : [[name, value]])),
    ...(cookies.length > 0 ? set('Cookie', cookies.join('; ')) : []),
    ...(isJson ? set('Accept', 'application/json') : []),
  ].filter(([name]) => !isBrowserNoise(name))
  const usual = isJson ? 'application/json' : 'application/x-www-form-urlencoded'
  const type = given.has('content-type')
    ? (whole.findLast(([name]) => isContentType(name))?.[1] ?? null)
    : body === null
      ? null
      : usual
  if (type !== null && !ContentType.safeParse(type).success) {
    warnings.push(`The content type ${type.slice(0, 100)} is left out: it is no media type.`)
    return { headers: whole.filter(([name]) => !isContentType(name)), contentType: null }
  }
  return { headers: whole.filter(([name]) => !isContentType(name)), contentType: type }
}

const isContentType = (name: string): boolean => name.toLowerCase() === 'content-type'
