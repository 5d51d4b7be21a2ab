import { fileLimits } from '../file/checks-file.ts'
import type { FileCheck } from '../file/checks-file.ts'
import { writeChecksFile } from '../file/write-file.ts'
import { fieldTable } from './field-table.ts'
import { code, fenced, prose, table } from './markdown.ts'
import { refusedValues, refusedYaml } from './refused-samples.ts'
import type { Refused } from './refused-samples.ts'

const example: FileCheck[] = [
  {
    name: 'Shop',
    url: 'https://shop.example/health',
    intervalSeconds: 60,
    regions: ['fra', 'iad'],
    assertionStatusMin: 200,
    assertionStatusMax: 204,
    assertionJsonPath: 'database.state',
    assertionJsonOp: 'equals',
    assertionJsonValue: 'up',
  },
  {
    name: 'Landing page',
    url: 'https://example.com/',
    assertionBodyOp: 'contains',
    assertionBodyValue: 'Welcome',
    assertionBodyCaseSensitive: false,
  },
]

/** The format of the file of checks, as the parser and the schemas have it. */
export const fileSection = (): string[] => [
  '## The file',
  '',
  'YAML, or JSON where the name ends in `.json`. The whole file is validated before anything is sent, and every problem is',
  'listed at once with its line and column.',
  '',
  ...fenced(
    'yaml',
    writeChecksFile(example, { format: 'yaml', comments: ['What is watched, and how often.'] }),
  ),
  '',
  '`version` is the number 1, `checks` a list, `[]` for none. The fields of a check are those of `POST /checks`:',
  '',
  ...fieldTable(),
  '',
  'Without any assertion field a check has no assertions: what the account has is cleared. `null` says that an assertion',
  'field is not set.',
  '',
  ...refusedTable(refusedValues()),
  '',
  '### YAML',
  '',
  'A file has block mappings and lists, flow lists of scalars, plain and quoted text, numbers, booleans and comments. Everything',
  'else is refused, so that a file means to a reader what it means to the tool. Numbers are written as they are printed, and',
  '`yes`, `no` and dates are text. What is accepted reads as any parser of YAML 1.2 reads it.',
  '',
  ...refusedTable(refusedYaml()),
  '',
  '### Bounds',
  '',
  ...table([
    ['of a file', 'at most'],
    ...Object.entries(bounds).map(([name, what]) => [
      what,
      fileLimits[name as keyof typeof fileLimits].toLocaleString('en'),
    ]),
  ]),
  '',
]

const bounds = {
  textCharactersMax: 'characters',
  checksMax: 'checks, or entries of another list',
  lexemesMax: 'values, marks and spaces (YAML)',
  keysMax: 'keys of one mapping, and values of one flow list',
  depthMax: 'mappings and lists inside one another',
  problemsMax: 'problems that are listed; the others are counted',
} as const satisfies Record<keyof typeof fileLimits, string>

const refusedTable = (all: readonly Refused[]): string[] =>
  table([
    ['refused', 'such as', 'message'],
    ...all.map(({ what, lines, message }) => [
      prose(what),
      lines.map((line) => code(line.replaceAll('\t', '→'))).join('<br>'),
      prose(message),
    ]),
  ])
