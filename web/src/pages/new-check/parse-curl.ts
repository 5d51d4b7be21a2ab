import { parse } from 'shell-quote'

/** The request of a curl command. */
export type CurlRequest = {
  method: string
  url: string
  body: string | null
  contentType: string | null
  /** Parts of the command that a check does not support, in words. */
  ignored: readonly string[]
}

const charactersMax = 20_000
/** Options of curl with an argument that do not change the request. */
const withArgument: ReadonlySet<string> = new Set([
  '-m',
  '--max-time',
  '--connect-timeout',
  '-o',
  '--output',
  '--retry',
  '-w',
  '--write-out',
])
const short: Readonly<Record<string, string>> = {
  '-X': '--request',
  '-H': '--header',
  '-d': '--data',
  '-A': '--user-agent',
  '-b': '--cookie',
  '-u': '--user',
  '-e': '--referer',
  '-F': '--form',
  '-I': '--head',
  '-G': '--get',
}
const dataOptions: ReadonlySet<string> = new Set([
  '--data',
  '--data-raw',
  '--data-binary',
  '--data-ascii',
  '--json',
])

/**
 * Parses a curl command, as browsers and API documents print it. Shell variables, pipes and files are not
 * read: nothing runs. Pure.
 * @returns the request, or the reason why it could not be parsed
 */
export const parseCurl = (command: string): CurlRequest | { problem: string } => {
  if (command.length > charactersMax)
    return { problem: `The command has more than ${charactersMax} characters.` }
  const words = wordsOf(command)
  if (words === null) return { problem: 'The command contains a pipe, a variable or another shell operator.' }
  if (words[0] !== 'curl') return { problem: 'The command must begin with curl.' }
  let [method, url, isGet, contentType]: [string | null, string | null, boolean, string | null] = [
    null,
    null,
    false,
    null,
  ]
  const data: string[] = []
  const ignored: string[] = []
  for (let at = 1; at < words.length; at += 1) {
    const [name, joined] = optionOf(words[at] ?? '')
    const next = (): string => joined ?? words[(at += 1)] ?? ''
    if (name === null) url ??= words[at] ?? null
    else if (name === '--url') url = next()
    else if (name === '--request') method = next().toUpperCase()
    else if (name === '--head') method = 'HEAD'
    else if (name === '--get') isGet = true
    else if (dataOptions.has(name)) {
      data.push(next())
      if (name === '--json') contentType ??= 'application/json'
    } else if (name === '--data-urlencode') data.push(encodedData(next()))
    else if (name === '--header') {
      const [, header = '', value = ''] = /^\s*([^:;]+)\s*[:;]\s*(.*)$/s.exec(next()) ?? []
      if (header.toLowerCase() === 'content-type') contentType = value.trim()
      else ignored.push(`the header ${header}`)
    } else if (['--user-agent', '--cookie', '--user', '--referer', '--form'].includes(name)) {
      next()
      ignored.push(`the option ${name}`)
    } else if (withArgument.has(name)) next()
  }
  if (url === null) return { problem: 'The command names no URL.' }
  const text = data.length === 0 ? null : data.join('&')
  const whole = /^[a-z]+:\/\//i.test(url) ? url : `http://${url}`
  if (isGet && text !== null) {
    return {
      method: method ?? 'GET',
      url: `${whole}${whole.includes('?') ? '&' : '?'}${text}`,
      body: null,
      contentType: null,
      ignored,
    }
  }
  const sent = text === null ? null : (contentType ?? 'application/x-www-form-urlencoded')
  return {
    method: method ?? (text === null ? 'GET' : 'POST'),
    url: whole,
    body: text,
    contentType: sent,
    ignored,
  }
}

/**
 * `-XPOST` includes its argument; a long option is followed by it. @returns null for a word that is not an
 * option
 */
const optionOf = (word: string): [name: string | null, joined: string | null] => {
  if (word.startsWith('--')) return [word, null]
  if (!/^-[A-Za-z]/.test(word)) return [null, null]
  const flag = word.slice(0, 2)
  const hasArgument = short[flag] !== undefined || withArgument.has(flag)
  return [short[flag] ?? flag, word.length > 2 && hasArgument ? word.slice(2) : null]
}

const encodedData = (text: string): string => {
  const [name, value] = text.includes('=') ? text.split(/=(.*)/s) : ['', text]
  const encoded = encodeURIComponent(value ?? '').replaceAll('%20', '+')
  return name === '' ? encoded : `${name}=${encoded}`
}

/** The words of a command; null if a shell would do more than split it. */
const wordsOf = (command: string): string[] | null => {
  const plain = command
    .replaceAll(/\\\r?\n/g, ' ')
    .replaceAll(/\$'((?:[^'\\]|\\.)*)'/gs, (_, text: string) => requoted(text))
  const words = parse(plain, (name) => ({ variable: name })).map((part) =>
    typeof part === 'string' ? part : 'pattern' in part ? part.pattern : null,
  )
  return words.every((word) => word !== null) ? words : null
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

/** Browsers quote a value with quotes or line breaks for bash as `$'...'`, with escapes. */
const requoted = (text: string): string => {
  const plain = text.replaceAll(/\\(?:u([0-9a-f]{4})|x([0-9a-f]{2})|(.))/gis, (_, unit, byte, sign: string) =>
    sign === undefined ? String.fromCharCode(Number.parseInt(unit ?? byte, 16)) : (escapes[sign] ?? sign),
  )
  return `'${plain.replaceAll("'", "'\\''")}'`
}
