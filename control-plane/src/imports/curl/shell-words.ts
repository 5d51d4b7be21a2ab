/** The words of a command, or why a shell would do more than split it. */
export type Words = { words: readonly string[] } | { problem: string }

/** Browsers copy a command for one of two shells. cmd escapes with ^, and its quotes keep a backslash. */
export const shellWords = (command: string): Words =>
  /\^["\r\n]|\^\s*$/.test(command) ? cmdWords(command) : bashWords(command)

/** Signs that mean more to a shell than a word, outside quotes. */
const operators: Readonly<Record<string, string>> = {
  '|': 'a pipe',
  '&': 'an &, which must be in quotes within a URL',
  ';': 'a ;, which ends a command',
  '<': 'a redirection of input, so its content is not known',
  '(': 'a subshell',
  ')': 'a subshell',
  '`': 'a command in backquotes, so its output is not known',
}

const redirection = /^(?:&|\d)?>>?\s*(?:&\d|[^\s'"|&;<>]+)/

/**
 * The words that bash makes of a command without variables. A redirection of the output is left out: it does not change
 * the request.
 */
export const bashWords = (command: string): Words => {
  const words: string[] = []
  let word: string | null = null
  let at = 0
  const add = (text: string): void => {
    word = (word ?? '') + text
  }
  const end = (): void => {
    if (word !== null) words.push(word)
    word = null
  }
  while (at < command.length) {
    const rest = command.slice(at)
    const sign = rest.charAt(0)
    const continued = /^\\\r?\n/.exec(rest)
    if (continued !== null) at += continued[0].length
    else if (/\s/.test(sign)) {
      if (sign === '\n' && word === null && words.length === 0) at += 1
      else if (sign === '\n' && rest.trim() !== '') return { problem: 'The text has more than one command.' }
      else {
        end()
        at += 1
      }
    } else if (sign === '#' && word === null) at += /^[^\n]*/.exec(rest)?.[0].length ?? 1
    else if (word === null && redirection.test(rest)) at += redirection.exec(rest)?.[0].length ?? 1
    else if (sign === "'" || rest.startsWith("$'") || sign === '"' || rest.startsWith('$"')) {
      const quoted = quotedText(rest.startsWith('$"') ? rest.slice(1) : rest)
      if ('problem' in quoted) return quoted
      add(quoted.text)
      at += quoted.length + (rest.startsWith('$"') ? 1 : 0)
    } else if (sign === '\\') {
      add(rest.charAt(1))
      at += 2
    } else if (isVariable(rest)) return { problem: variableProblem(rest) }
    else if (/,|\.\./.test(/^\{([^{}'"\s]*)\}/.exec(rest)?.[1] ?? '')) {
      return { problem: 'The command contains braces that a shell expands. Put the text in quotes.' }
    } else if (operators[sign] !== undefined || sign === '>') {
      return { problem: `The command contains ${operators[sign] ?? 'a redirection'}.` }
    } else {
      add(sign)
      at += 1
    }
  }
  end()
  return { words }
}

type Quoted = { text: string; length: number } | { problem: string }

const unclosed = { problem: 'A quote of the command is not closed. Copy the whole command.' }

/** @param rest begins with the quote */
const quotedText = (rest: string): Quoted => {
  if (rest.startsWith("'")) {
    const close = rest.indexOf("'", 1)
    return close < 0 ? unclosed : { text: rest.slice(1, close), length: close + 1 }
  }
  if (rest.startsWith("$'")) {
    const [whole, text] = /^\$'((?:[^'\\]|\\.)*)'/s.exec(rest) ?? []
    return whole === undefined || text === undefined
      ? unclosed
      : { text: unescaped(text), length: whole.length }
  }
  const [whole, text] = /^"((?:[^"\\]|\\.)*)"/s.exec(rest) ?? []
  if (whole === undefined || text === undefined) return unclosed
  const plain = text.replaceAll(/\\./gs, '')
  const variable = /\$[\w({]|`/.exec(plain)
  if (variable !== null) return { problem: variableProblem(plain.slice(variable.index)) }
  return {
    text: text.replaceAll(/\\(\r?\n|[$`"\\])/g, (_, sign: string) => (sign.endsWith('\n') ? '' : sign)),
    length: whole.length,
  }
}

const isVariable = (rest: string): boolean => /^\$[\w({@*#?!$-]/.test(rest)

const variableProblem = (rest: string): string => {
  const name = /^\$\{?(\w+)/.exec(rest)?.[1]
  return name === undefined
    ? 'The command contains the output of another command. Replace it by its text.'
    : `The command contains the variable $${name}. Replace it by its value.`
}

const escapes: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  e: '\u001b',
  E: '\u001b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

/** ANSI-C quoting of bash: bytes, of which several make one character of UTF-8, and code points. */
const unescaped = (text: string): string => {
  const escape = /((?:\\x[0-9a-f]{1,2}|\\[0-7]{1,3})+)|\\u([0-9a-f]{1,4})|\\U([0-9a-f]{1,8})|\\(.)/gis
  return text.replaceAll(escape, (_, bytes?: string, unit?: string, point?: string, sign: string = '') => {
    if (bytes !== undefined) return bytesText(bytes)
    const code = unit ?? point
    if (code !== undefined) return String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10_ff_ff))
    return escapes[sign] ?? (`'"\\?`.includes(sign) ? sign : `\\${sign}`)
  })
}

const bytesText = (escaped: string): string =>
  Buffer.from(
    [...escaped.matchAll(/\\(?:x([0-9a-f]{1,2})|([0-7]{1,3}))/gi)].map(([, hex, octal]) =>
      hex === undefined ? Number.parseInt(octal ?? '0', 8) & 0xff : Number.parseInt(hex, 16),
    ),
  ).toString()

/** The words that cmd and a program of Windows make of a command. */
export const cmdWords = (command: string): Words => {
  const line = withoutCarets(command.trim())
  if (typeof line !== 'string') return line
  const words: string[] = []
  // the rule of the C runtime: backslashes count only before a quote, and two quotes within quotes are one
  const part = /(\\*)"|(\s+)|([^\s"\\]+|\\+)/gy
  // browsers write ^" for a quote, and two backslashes for each, also before other signs
  const isOfBrowser = command.includes('^"')
  let [word, isQuoted]: [string | null, boolean] = [null, false]
  for (let match = part.exec(line); match !== null; match = part.exec(line)) {
    const [, slashes, space, text] = match
    if (space !== undefined) {
      if (isQuoted) word = (word ?? '') + space
      else if (word !== null) {
        words.push(word)
        word = null
      }
    } else if (slashes !== undefined) {
      word = (word ?? '') + '\\'.repeat(Math.floor(slashes.length / 2))
      if (slashes.length % 2 === 1) word += '"'
      else if (isQuoted && line.charAt(part.lastIndex) === '"') {
        word += '"'
        part.lastIndex += 1
      } else isQuoted = !isQuoted
    } else {
      const plain = text ?? ''
      word = (word ?? '') + (isOfBrowser ? plain.replaceAll('\\\\', '\\') : plain)
    }
  }
  if (isQuoted) return unclosed
  if (word !== null) words.push(word)
  return { words }
}

/** What cmd does to a line before the program sees it: ^ escapes the next sign, outside quotes. */
const withoutCarets = (line: string): string | { problem: string } => {
  let [text, isQuoted] = ['', false]
  for (let at = 0; at < line.length; at += 1) {
    const sign = line.charAt(at)
    if (sign === '^' && !isQuoted) {
      const next = /^\r?\n/.exec(line.slice(at + 1))?.[0]
      if (next === undefined) text += line.charAt((at += 1))
      else {
        at += next.length
        // a second line break after ^ is one of the text
        const second = /^\r?\n/.exec(line.slice(at + 1))?.[0]
        if (second === undefined) continue
        at += second.length
        text += '\n'
      }
    } else {
      if (sign === '"') isQuoted = !isQuoted
      else if (!isQuoted && /[|&<>]/.test(sign)) {
        return { problem: `The command contains ${operators[sign] ?? 'a redirection'}.` }
      } else if (!isQuoted && /[\r\n]/.test(sign)) return { problem: 'The text has more than one command.' }
      text += sign
    }
  }
  return text
}
