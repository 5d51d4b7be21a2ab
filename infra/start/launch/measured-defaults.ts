import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import jsTokens from 'js-tokens'

/** Where status, answers and figures are computed from what was measured. */
const rooms = [
  'status',
  'public-answers',
  'objectives',
  'readings',
  'account-metrics',
  'mesh',
  'checks',
  'overview',
].map((room) => `control-plane/src/${room}/*.ts`)
/** The words of names of measurements; a count, an instant or a limit (`latencyMsMax`) is none. */
const measurement =
  /^(?:latency|latencies|timings?|dns|connect|tls|ttfb|transfer|p\d\d|shares?|ratios?|uptime|percent|availability|levels?|rates?|budget|median|slower)$/
const limit = /^(?:max|min|than)$/

const wordsOf = (name: string): string[] => name.split(/(?=[A-Z])|[._-]/).map((word) => word.toLowerCase())

const isMeasurement = (name: string): boolean => {
  const words = wordsOf(name)
  return words.some((word) => measurement.test(word)) && !words.some((word) => limit.test(word))
}

/** A longer operand is not looked at. */
const operandTokensMax = 60

type Token = { type: string; value: string }

/** The last two names of the operand that ends before a token, as in `row.latencyMs`, `shares.get(id)` and `levels[0]`. */
const namesBefore = (tokens: readonly Token[]): string[] => {
  const names: string[] = []
  let depth = 0
  for (const { type, value } of tokens.toReversed()) {
    if (value === ')' || value === ']') depth += 1
    else if (value === '(' || value === '[') {
      if (depth === 0) break
      depth -= 1
    } else if (depth > 0) continue
    else if (type === 'IdentifierName' || type === 'PrivateIdentifier') {
      names.push(value)
      if (names.length === 2) break
    } else if (value !== '.' && value !== '?.' && value !== '!') break
  }
  return names
}

/**
 * The places of a source file that take a number for a measurement that is missing: `(latencyMs ?? 0) > slowMs` reads as
 * "fast".
 * @returns problems, each with its line
 */
export const inventedMeasurements = (text: string): string[] => {
  const problems: string[] = []
  const tokens: Token[] = []
  let line = 1
  /** The measurement before `??`, while its default is awaited. */
  let defaulted: string | null = null
  for (const token of jsTokens(text)) {
    const isSpace = /^(?:WhiteSpace|LineTerminatorSequence|.*Comment)$/.test(token.type)
    if (!isSpace) {
      if (defaulted !== null && token.type === 'NumericLiteral') {
        problems.push(
          `${line}: ${defaulted} ?? ${token.value} invents a measurement. What was not measured is neither good nor ` +
            'bad: keep null, or use Measured of contracts/reading/measured',
        )
      }
      const isDefault = token.value === '??' || token.value === '||'
      defaulted = isDefault ? (namesBefore(tokens).find(isMeasurement) ?? null) : null
      tokens.push(token)
      if (tokens.length > operandTokensMax) tokens.shift()
    }
    line += token.value.split('\n').length - 1
  }
  return problems
}

/** The invented measurements of all sources of these rooms, each with its file. A room that is gone is an error. */
export const checkMeasurements = (root: string): string[] =>
  execFileSync('git', ['ls-files', '-c', '--error-unmatch', ...rooms], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((file) => file !== '' && !file.endsWith('.test.ts'))
    .flatMap((file) =>
      inventedMeasurements(readFileSync(join(root, file), 'utf8')).map((each) => `${file}:${each}`),
    )
