import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import jsTokens from 'js-tokens'
import { analyse } from 'scslre'

/** Code that reads no foreign text. */
const own = /\.test\.tsx?$|(?:^|\/)testing\/|(?:^|\/)testing\.ts$|^(?:acceptance|bench|dependency-rule)\//
/** A comment that names the bound of the input holds until the next blank line. */
const bound = /^\/[/*]+ (?:bounded|linear): \S/

const adviceOf = (line: number, what: string): string =>
  `${line}: ${what}. Write it so that a long text takes linear time, or say above it what bounds its input: ` +
  '// bounded: a name has at most 64 characters'

/**
 * The regular expressions of a source file that take more than linear time on a long text, and those put together at
 * run time, which cannot be judged here.
 * @returns problems, each with its line
 */
export const slowExpressions = (text: string): string[] => {
  const problems: string[] = []
  let [line, isBounded, before, word] = [1, false, '', '']
  for (const token of jsTokens(text)) {
    if (token.type.endsWith('Comment') && bound.test(token.value)) isBounded = true
    if (token.type === 'LineTerminatorSequence' && before === token.type) isBounded = false
    if (token.type !== 'WhiteSpace') before = token.type
    if (!isBounded && token.type === 'RegularExpressionLiteral') {
      const end = token.value.lastIndexOf('/')
      const [source, flags] = [token.value.slice(1, end), token.value.slice(end + 1)]
      const [first] = analyse(
        { source, flags },
        { reportTypes: { Move: true, Self: true, Trade: true } },
      ).reports
      if (first !== undefined) {
        const time = first.exponential ? 'exponential' : 'quadratic'
        problems.push(
          adviceOf(
            line,
            `${token.value} takes ${time} time on a run of ${JSON.stringify(first.character.pick)}`,
          ),
        )
      }
    }
    if (!isBounded && isMade(token, word)) problems.push(adviceOf(line, 'an expression is put together'))
    if (/^(?:Identifier|Keyword|Punct)/.test(token.type)) word = token.value
    line += token.value.split('\n').length - 1
  }
  return problems
}

const isMade = (token: { type: string; value: string }, word: string): boolean =>
  token.value === 'RegExp' && word === 'new'

/** The slow expressions of all sources of a checkout that foreign text may reach, each with its file. */
export const checkExpressions = (root: string): string[] =>
  execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.ts', '*.tsx', '*.mjs'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => file !== '' && !own.test(file))
    .flatMap((file) =>
      slowExpressions(readFileSync(join(root, file), 'utf8')).map((each) => `${file}:${each}`),
    )
