import { matchesGlob, relative } from 'node:path'
import { repeatOf, type Step } from './steps.ts'

/** What is read of Vitest's JSON report. */
export type TestReport = {
  testResults: readonly {
    /** An absolute path. */
    name: string
    status: string
    startTime: number
    endTime: number
    assertionResults: readonly { status: string; fullName: string }[]
  }[]
}

type Failure = { what: string; repeat: string }

/** A line of the page: a suite, or a command. */
export type Result = {
  name: string
  seconds: number
  passed: number
  failed: number
  failures: readonly Failure[]
  /** Where its output is. */
  log: string
}

/** A finished process: its exit code, null if it was killed, and the end of its output. */
export type Ended = { code: number | null; seconds: number; log: string; output: string }

/** @param root of the paths in the report; a report that is missing means that the run broke off */
export const resultsOfTests = (
  step: Step & { kind: 'tests' },
  ended: Ended,
  report: TestReport | null,
  root: string,
): Result[] => {
  const files = (report?.testResults ?? []).map((file) => ({ ...file, path: relative(root, file.name) }))
  const results = step.suites.map((suite): Result => {
    const own = files.filter(({ path }) =>
      suite.files.length === 0
        ? path.startsWith(`${suite.name}/`)
        : suite.files.some((pattern) => matchesGlob(path, pattern)),
    )
    const tests = own.flatMap(({ path, assertionResults }) =>
      assertionResults.map((test) => ({ ...test, path })),
    )
    const red = tests.filter(({ status }) => status === 'failed')
    // a file that cannot be loaded, or whose hooks fail, has no failed test
    const broken = own.filter(
      ({ path, status }) => status === 'failed' && !red.some((test) => test.path === path),
    )
    const missing = own.length === 0 ? [suite.name] : []
    const failures = [
      ...red.map(({ path, fullName }) => ({ what: `${path}: ${fullName}`, repeat: repeatOf(step, path) })),
      ...broken.map(({ path }) => ({ what: `${path} did not run`, repeat: repeatOf(step, path) })),
      ...missing.map((name) => ({ what: `no file of ${name} ran`, repeat: repeatOf(step, name) })),
    ]
    return {
      name: suite.name,
      seconds: Math.round(own.reduce((sum, file) => sum + file.endTime - file.startTime, 0) / 1_000),
      passed: tests.filter(({ status }) => status === 'passed').length,
      failed: failures.length,
      failures,
      log: ended.log,
    }
  })
  const isExplained = ended.code === 0 || results.some(({ failed }) => failed > 0)
  if (isExplained) return results
  // such as an error outside any test
  return [...results, { ...resultOfCommand(step, ended), passed: 0 }]
}

/** A command counts its own tests, or is one. */
export const resultOfCommand = (step: Step, ended: Ended): Result => {
  const { code, seconds, log, output } = ended
  const [, counted] = /^\s*Tests\s+(.+)$/m.exec(output) ?? []
  const count = (word: RegExp): number => Number(word.exec(counted ?? '')?.[1] ?? 0)
  const isRed = code !== 0
  const failed = isRed ? Math.max(1, count(/(\d+) failed/)) : 0
  const what = `${step.name} ended with ${code ?? 'its time limit'}`
  return {
    name: step.name,
    seconds,
    // Vitest counts passed tests, `properties` all
    passed: counted === undefined ? Number(!isRed) : count(/(\d+) passed/) || count(/^(\d+) in/) - failed,
    failed,
    failures: isRed ? [{ what, repeat: repeatOf(step) }] : [],
    log,
  }
}

/** Lines of an output that a page quotes: seeds, ratios and what they were compared with. */
export const quoted = (output: string): string[] =>
  output
    .split('\n')
    .filter((line) => /\bseeds?\b|\bratio|^\s*\|/i.test(line))
    .slice(-linesMax)
const linesMax = 20

export type Run = {
  title: string
  results: readonly Result[]
  /** The quoted lines of each command, by its name. */
  quotes: readonly { name: string; lines: readonly string[] }[]
  minutes: number
}

/** One page of Markdown. */
export const pageOf = ({ title, results, quotes, minutes }: Run): string => {
  const red = results.filter(({ failed }) => failed > 0)
  const parts = [
    `# ${title}`,
    `${results.length - red.length} of ${results.length} passed in ${minutes} minutes.`,
    [
      '| suite | result | seconds | tests |',
      '| --- | --- | --- | --- |',
      ...results.map(
        ({ name, seconds, passed, failed }) =>
          `| ${name} | ${failed === 0 ? 'passed' : `${failed} FAILED`} | ${seconds} | ${passed + failed} |`,
      ),
    ].join('\n'),
    ...red.map(({ name, failures, log }) =>
      [
        `## ${name} failed\n`,
        ...failures.map(({ what, repeat }) => `- ${what}\n  \`${repeat}\``),
        `\nIts output is in ${log}.`,
      ].join('\n'),
    ),
    ...quotes
      .filter(({ lines }) => lines.length > 0)
      .map(({ name, lines }) => `## ${name}\n\n\`\`\`\n${lines.join('\n')}\n\`\`\``),
  ]
  return `${parts.join('\n\n')}\n`
}

/** The last line of a run. */
export const closingLine = (results: readonly Result[]): string => {
  const sum = (key: 'passed' | 'failed') => results.reduce((total, result) => total + result[key], 0)
  return `${sum('passed')} passed, ${sum('failed')} failed`
}
