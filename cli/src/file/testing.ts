import fc from 'fast-check'
import { judgeCheck } from '@probe-mesh/contracts/check/check-rules'
import { FileCheckInput, toFileCheck, type FileCheck } from './checks-file.ts'
import { yamlText } from './write-file.ts'

/** Texts that are easily left unquoted by mistake, one per line. */
const tempting = String.raw`
yes No null ~ TRUE y 1 1.0 007 0x1f 1e3 .inf - = << *a &a !a | >- %a @a 2026-01-01 12:30:45 1_000
a: :a #a "a" 'a' it's \n [a] {a} ? --- ... é e${'\u0301'} 日本 a${'\u2028'}b ${'\u200b'} ${'\u202e'}a`
const spaced = ['- a', 'a: b', 'a #b', ' a', 'a ', 'a, b', 'a\nb', '\ta', '\ufeffa', '? a']
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.stringMatching(/^[ -~\n\t]{1,20}$/),
  fc.constantFrom(...tempting.trim().split(/[ \n]/), ...spaced),
)
const path = fc.constantFrom('ok', 'a.items[0].name', '$.a', 'a["b c"]', '[0]', '$["é: #"]')
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined })

/** Any check that the schemas accept, with random fields set. */
const anyCheck: fc.Arbitrary<FileCheck> = fc
  .record({
    name: text,
    url: fc.oneof(fc.webUrl(), text),
    intervalSeconds: maybe(fc.integer({ min: 1, max: 86_400 })),
    regions: maybe(fc.uniqueArray(fc.stringMatching(/^[a-z]{3}$/), { minLength: 1, maxLength: 10 })),
    status: maybe(fc.tuple(fc.integer({ min: 100, max: 599 }), fc.integer({ min: 100, max: 599 }))),
    body: maybe(
      fc.record({
        assertionBodyOp: fc.constantFrom('contains', 'not_contains'),
        assertionBodyValue: text,
        assertionBodyCaseSensitive: maybe(fc.boolean()),
      }),
    ),
    json: fc.oneof(
      fc.constant({}),
      fc.record({ assertionJsonPath: path, assertionJsonOp: fc.constant('exists') }),
      fc.record({
        assertionJsonPath: path,
        assertionJsonOp: fc.constantFrom('equals', 'contains'),
        assertionJsonValue: text,
      }),
    ),
  })
  .map(({ status, body, json, ...check }) => ({
    ...check,
    ...(status === undefined
      ? {}
      : { assertionStatusMin: Math.min(...status), assertionStatusMax: Math.max(...status) }),
    ...body,
    ...json,
  }))
  .filter((check) => JSON.stringify(check).isWellFormed())
  .map((check) => judgeCheck(FileCheckInput, check))
  .filter(({ problems }) => problems.length === 0)
  .map(({ value }) => toFileCheck(value ?? {}))
  .filter((check) =>
    Object.values(check).every(
      (value) => typeof value !== 'string' || (value.isWellFormed() && !value.includes('\u0000')),
    ),
  )

/** Checks with different names. */
export const anyChecks = fc.uniqueArray(anyCheck, { maxLength: 5, selector: ({ name }) => name })

const scalar = (value: string | number | boolean, style: number): string => {
  if (typeof value !== 'string') return String(value)
  if (style === 0 && /^[ -~]*$/.test(value)) return `'${value.replaceAll("'", "''")}'`
  return style === 1 ? JSON.stringify(value).replaceAll(/[\u007f-\uffff]/g, escaped) : yamlText(value)
}
const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Checks in any spelling of our subset: indentation, quotes, comments, line ends. */
export const anySpelling: fc.Arbitrary<{ checks: FileCheck[]; text: string }> = fc
  .record({
    checks: anyChecks,
    styles: fc.infiniteStream(fc.nat(2)),
    indent: fc.nat(3),
    gap: fc.integer({ min: 1, max: 4 }),
    lineEnd: fc.constantFrom('\n', '\r\n'),
    head: fc.constantFrom('', '---\n', '# head\n\n', '\ufeff', '--- # head\n  # more\n'),
    isLastEnded: fc.boolean(),
  })
  .map(({ checks, styles, indent, gap, lineEnd, head, isLastEnded }) => {
    const style = (): number => styles.next().value ?? 0
    const outer = ' '.repeat(indent)
    const inner = ' '.repeat(indent + 1 + gap)
    const list = (values: string[]): string => {
      const all = values.map((value) => scalar(value, style()))
      if (style() === 0) return ` [${all.join(',')} , ]`
      if (style() === 0) return ` [ # of them\n${inner} ${all.join(`,\n${inner} `)} ]`
      return ['', ...all].join(`\n${inner}${style() === 0 ? '' : ' '}- `)
    }
    const lines = checks.flatMap((check) =>
      Object.entries(check).map(([key, value], index) => {
        const start = style() === 0 ? `${outer}-\n${inner}` : `${outer}-${' '.repeat(gap)}`
        const end = ['', ' # and so on', '\t#:\n\n    # - name: x'][style()] ?? ''
        const said = Array.isArray(value) ? list(value) : ` ${scalar(value, style())}`
        return `${index === 0 ? start : inner}${scalar(key, style())}:${said}${end}`
      }),
    )
    const empty = checks.length === 0 ? ' []' : ''
    const text = [`version: 1`, `checks:${empty}`, ...lines].join('\n')
    return { checks, text: (head + text + (isLastEnded ? '\n' : '')).replaceAll('\n', lineEnd) }
  })
