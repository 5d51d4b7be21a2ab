/** A comment or text of a file, with its first line. */
export type Passage = { line: number; text: string }

const beforeDivision = /[\w$)\]'"`]$/
const beforeRegex = /\b(return|typeof|case|of|in|do|else|yield|await)$/

/**
 * Splits TypeScript or JavaScript into comments and texts. The preceding text distinguishes a regular
 * expression from a division, which is enough for formatted code.
 */
export const readCode = (code: string): { comments: Passage[]; strings: Passage[] } => {
  const comments: Passage[] = []
  const strings: Passage[] = []
  /** The number of open braces in the current expression of each open template. */
  const templates: number[] = []
  let line = 1
  let at = 0
  let before = ''

  const pass = (end: number): string => {
    const text = code.slice(at, end)
    for (const character of text) if (character === '\n') line++
    at = end
    return text
  }
  /** @returns the end of the text that starts here: after its quote, or before an expression */
  const endOfText = (from: number, quote: string): number => {
    for (let i = from; i < code.length; i++) {
      if (code[i] === '\\') i++
      else if (code[i] === quote) return i + 1
      else if (quote === '`' && code.startsWith('${', i)) return i + 2
    }
    return code.length
  }
  const passText = (from: number, quote: string): void => {
    const beginning = line
    const end = endOfText(from, quote)
    strings.push({ line: beginning, text: code.slice(from, end).replace(/(\$\{|.)$/, '') })
    if (quote === '`' && code.endsWith('${', end)) templates.push(0)
    pass(end)
    before = quote
  }

  while (at < code.length) {
    const rest = code.slice(at, at + 2)
    const character = code[at] ?? ''
    if (rest === '//' || rest === '/*') {
      const beginning = line
      const end = rest === '//' ? code.indexOf('\n', at) : code.indexOf('*/', at + 2) + 2
      comments.push({ line: beginning, text: pass(end < at + 2 ? code.length : end) })
    } else if (character === "'" || character === '"' || character === '`') {
      passText(at + 1, character)
    } else if (character === '}' && templates.at(-1) === 0) {
      templates.pop()
      passText(at + 1, '`')
    } else if (character === '/' && (!beforeDivision.test(before) || beforeRegex.test(before))) {
      pass(
        at +
          (/^\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+\//.exec(code.slice(at, at + 2_000))?.[0].length ?? 1),
      )
      before = ')'
    } else {
      const depth = templates.length - 1
      if (character === '{' && depth >= 0) templates[depth] = (templates[depth] ?? 0) + 1
      if (character === '}' && depth >= 0) templates[depth] = (templates[depth] ?? 0) - 1
      before = /\s/.test(pass(at + 1)) ? before : (before + character).slice(-12)
    }
  }
  return { comments, strings }
}

/** Comments of languages with line comments: SQL, YAML, shell, configuration. */
export const readLineComments = (text: string): Passage[] =>
  text.split('\n').flatMap((one, index) => {
    const comment = /(?:^|\s)(?:--|#)\s(.*)$/.exec(one)?.[1]
    return comment === undefined ? [] : [{ line: index + 1, text: comment }]
  })
