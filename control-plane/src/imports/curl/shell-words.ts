/** The words of a command, with a note where its form is unusual, or why a shell would do more than split it. */
export type Words = { words: readonly string[]; note?: string } | { problem: string }

/** Browsers copy a command for one of two shells. cmd escapes with ^, and its quotes keep a backslash. */
export const shellWords = (command: string): Words => {
  if (/`[ \t]*\r?\n/.test(command)) return { problem: powerShell }
  if (/\^["\r\n]|\^\s*$/.test(command)) {
    if (/(?:^|\s)'/.test(command.replaceAll(/"[^"]*"/g, ''))) return { problem: caretsAndQuotes }
    return chromiumWords(command) ?? cmdWords(command)
  }
  if (isDoubled(command)) return { ...cmdWords(command), note: doubledNote }
  const read = bashWords(command)
  return 'words' in read && read.words.some((word) => word.includes('\0')) ? { problem: nul } : read
}

const nul = 'The command has a NUL, at which bash ends a text. Remove it.'

const powerShell =
  'The lines end with a backquote, as in PowerShell. Copy the command as cURL (bash), or end its lines with a backslash.'
const caretsAndQuotes =
  "The command has ^ of cmd, in which ' is no quote. Copy it as cURL (bash), or write a backslash in place of each ^ at the end of a line."
const doubledNote = 'Read as a command of cmd, where "" within quotes is a quote; bash would leave both out.'

/** Older browsers quote for cmd with "" for a quote. bash would drop both. */
const isDoubled = (command: string): boolean =>
  !command.includes("'") && /"[^"\s]*[{,:[]""[^"\s]/.test(command)

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
  while (at < command.length) {
    const step = stepOf(command.slice(at), word !== null, words.length > 0)
    if ('problem' in step) return step
    if (step.text !== undefined) word = (word ?? '') + step.text
    if (step.isEnd === true && word !== null) {
      words.push(word)
      word = null
    }
    at += step.length
  }
  return { words: word === null ? words : [...words, word] }
}

/** What the next characters add to a word, and whether they end it. */
type Step = { length: number; text?: string; isEnd?: boolean } | { problem: string }

const stepOf = (rest: string, isInWord: boolean, hasWords: boolean): Step => {
  const sign = rest.charAt(0)
  const leftOut =
    /^\\\r?\n/.exec(rest) ?? (isInWord ? null : (/^#[^\n]*/.exec(rest) ?? redirection.exec(rest)))
  if (leftOut !== null) return { length: leftOut[0].length }
  if (/\s/.test(sign)) {
    const isSecond = sign === '\n' && (isInWord || hasWords) && rest.trim() !== ''
    return isSecond ? { problem: 'The text has more than one command.' } : { length: 1, isEnd: true }
  }
  if (sign === '"' || sign === "'" || rest.startsWith("$'")) return quotedText(rest)
  if (rest.startsWith('$"')) {
    const quoted = quotedText(rest.slice(1))
    return 'problem' in quoted ? quoted : { ...quoted, length: quoted.length + 1 }
  }
  if (sign === '\\') return { text: rest.charAt(1), length: 2 }
  const problem = expansionAt(rest)
  return problem === null ? { text: sign, length: 1 } : { problem }
}

/** Why a shell would do more here than split words; null if it would not. */
const expansionAt = (rest: string): string | null => {
  const sign = rest.charAt(0)
  if (isVariable(rest)) return variableProblem(rest)
  if (/,|\.\./.test(/^\{([^{}'"\s]*)\}/.exec(rest)?.[1] ?? '')) {
    return 'The command contains braces that a shell expands. Put the text in quotes.'
  }
  const operator = sign === '>' ? 'a redirection' : operators[sign]
  return operator === undefined ? null : `The command contains ${operator}.`
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

const oldNote =
  'Read as older versions of Chromium wrote it for cmd: a ^ within quotes escapes the next sign, though cmd keeps it.'

/**
 * The words of a command that Chromium copied for cmd before it escaped the outer quotes too: each sign that may mean
 * something has a ^, also within quotes, where cmd itself keeps it. null: the command is not written so.
 */
const chromiumWords = (command: string): Words | null => {
  // bounded: a command has at most 40,000 characters, and each sign is read by one alternative
  const part =
    /"((?:\^\r?\n\r?\n|\^\\\^["\\]|\^[^\r\n"\\]|[\w\s\-:=+~'/.',?;()*`%])*)"|\^"((?:\^\r?\n\r?\n|\^\\\^["\\]|\^[^\r\n"\\]|[\w\s\-:=+~'/.',?;()*`%])*)\^"|(\s+|\^\r?\n)|([\w.:/=-]+)/gy
  const words: string[] = []
  let [isOld, at] = [false, 0]
  for (let match = part.exec(command); match !== null; match = part.exec(command)) {
    at = part.lastIndex
    const [, quoted, lines, space, plain] = match
    if (space !== undefined) continue
    isOld ||= quoted?.includes('^') === true
    words.push(plain ?? unquotedByChromium(quoted ?? lines ?? ''))
  }
  return isOld && at === command.length ? { words, note: oldNote } : null
}

const unquotedByChromium = (text: string): string =>
  text
    .replaceAll(/%\^(?=[a-zA-Z0-9_])/g, '%')
    .replaceAll(/\^\r?\n\r?\n/g, '\n')
    .replaceAll(/\^([^\r\n])/g, '$1')
    .replaceAll(/\\(["\\])/g, '$1')

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
