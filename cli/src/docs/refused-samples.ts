import { parseChecksFile } from '../file/parse-file.ts'

/** A construct as it may appear in a file, and the message of the parser. */
export type Refused = { what: string; lines: readonly string[]; message: string }

type Sample = { what: string; lines: string[]; text: string }

const head = ['version: 1', 'checks:']
const check = ['  - name: a', '    url: https://a.example.com']

/** Within a check, below its other fields. */
const inCheck = (what: string, ...lines: string[]): Sample => ({
  what,
  lines,
  text: [...head, ...check, ...lines.map((line) => `    ${line}`)].join('\n'),
})

/** A check without a URL of its own. */
const inUrl = (what: string, line: string): Sample => ({
  what,
  lines: [line],
  text: [...head, check[0], `    ${line}`].join('\n'),
})

/** The same, within a check that has the fields for a body assertion. */
const inBody = (what: string, ...lines: string[]): Sample => ({
  ...inCheck(what, 'assertionBodyOp: contains', ...lines),
  lines,
})

const below = (what: string, ...lines: string[]): Sample => ({
  what,
  lines,
  text: [...head, ...check, ...lines].join('\n'),
})

const above = (what: string, ...lines: string[]): Sample => ({
  what,
  lines,
  text: [...lines, ...head, ...check].join('\n'),
})

const ofYaml: readonly Sample[] = [
  inCheck('an anchor', 'intervalSeconds: &fast 60'),
  inCheck('an alias', 'intervalSeconds: *fast'),
  inCheck('a merge key', '<<: base'),
  inBody('a tag', 'assertionBodyValue: !!str up'),
  inBody('a block scalar', 'assertionBodyValue: |'),
  inBody('a folded block scalar', 'assertionBodyValue: >-'),
  below('a flow mapping', '  - {name: b, url: https://b.example.com}'),
  inCheck('a mapping in a flow list', 'regions: [fra: iad]'),
  inCheck('a list in a flow list', 'regions: [[fra, iad]]'),
  inCheck('a complex key', '? regions'),
  below('a second document', '---'),
  below('the end of a document', '...'),
  above('a directive', '%YAML 1.2', '---'),
  below('a tab as indentation', '\tintervalSeconds: 60'),
  inCheck('a repeated key', 'url: https://b.example.com'),
  inBody('plain text on two lines', 'assertionBodyValue: all', '  systems'),
  inBody('a colon in plain text', 'assertionBodyValue: status: up'),
  inCheck('a number in another spelling', 'intervalSeconds: 060'),
  inCheck('other indentation', 'regions: [fra]', '  intervalSeconds: 60'),
]

const ofValues: readonly Sample[] = [
  inCheck('an unknown field', 'retries: 3'),
  inCheck('a value of the wrong type', 'intervalSeconds: often'),
  inUrl('a URL of another scheme', 'url: ftp://files.example.com/'),
  inUrl('a password in a URL', 'url: https://me:secret@example.com/'),
  inCheck('half an assertion', 'assertionBodyValue: up'),
  inCheck('a path that is a pattern', 'assertionJsonOp: exists', 'assertionJsonPath: $.items[*]'),
  below('a repeated name', ...check),
  below('another resource', 'status_pages: []'),
]

const toRefused = ({ what, lines, text }: Sample): Refused => {
  const parsed = parseChecksFile(text, 'yaml')
  const [problem, ...others] = parsed.ok ? [] : parsed.problems
  // a sample that is accepted, or wrong in two ways, shows nothing
  if (problem === undefined || others.length > 0) throw new Error(`${what} is no sample`)
  const { path, message } = problem
  return { what, lines, message: path === '' ? message : `${path}: ${message}` }
}

/** Refused YAML constructs, with the messages of the parser. */
export const refusedYaml = (): Refused[] => ofYaml.map(toRefused)

/** Refused values, in YAML and JSON. */
export const refusedValues = (): Refused[] => ofValues.map(toRefused)
