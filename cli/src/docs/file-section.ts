import { z } from 'zod'
import { fieldNames, FileCheckInput, fileLimits, type FileCheck } from '../file/checks-file.ts'
import { writeChecksFile } from '../file/write-file.ts'
import { code, fenced, prose, table } from './markdown.ts'
import { refusedValues, refusedYaml, type Refused } from './refused-samples.ts'

const example: FileCheck[] = [
  {
    name: 'Shop',
    url: 'https://shop.example.com/health',
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

/** The format of the file of checks, from its parser and schemas. */
export const fileSection = (): string[] => [
  '## The file',
  '',
  'YAML, or JSON if the name ends in `.json`. The whole file is validated before anything is sent, and every problem is',
  'listed at once with its line and column.',
  '',
  ...fenced(
    'yaml',
    writeChecksFile(example, { format: 'yaml', comments: ['What is checked, and how often.'] }),
  ),
  '',
  '`version` is the number 1, `checks` a list, or `[]` for none. A check has the fields of `POST /checks`:',
  '',
  ...fieldTable(),
  '',
  'Without any assertion field a check has no assertions: those on the account are cleared. `null` means that an assertion',
  'field is not set.',
  '',
  ...refusedTable(refusedValues()),
  '',
  '### YAML',
  '',
  'A file may contain block mappings and lists, flow lists of scalars, plain and quoted text, numbers, booleans and comments.',
  'Everything else is refused, so that people and the tool read a file in the same way. Numbers are written as they are printed;',
  '`yes`, `no` and dates are text. Every accepted file has the same meaning in any YAML 1.2 parser.',
  '',
  ...refusedTable(refusedYaml()),
  '',
  '### Limits',
  '',
  ...table([
    ['in a file', 'at most'],
    ...Object.entries(bounds).map(([name, what]) => [
      what,
      fileLimits[name as keyof typeof fileLimits].toLocaleString('en'),
    ]),
  ]),
  '',
]

const bounds = {
  textCharactersMax: 'characters',
  checksMax: 'checks, or entries of any other list',
  lexemesMax: 'values, marks and spaces (YAML)',
  keysMax: 'keys of one mapping, and values of one flow list',
  depthMax: 'levels of mappings and lists',
  problemsMax: 'listed problems; further ones are counted',
} as const satisfies Record<keyof typeof fileLimits, string>

const refusedTable = (all: readonly Refused[]): string[] =>
  table([
    ['refused', 'example', 'message'],
    ...all.map(({ what, lines, message }) => [
      prose(what),
      lines.map((line) => code(line.replaceAll('\t', '→'))).join('<br>'),
      prose(message),
    ]),
  ])

/** The meaning of each field; its allowed values come from the schema. */
const meanings = {
  name: 'identifies the check: unique in the file and on the account',
  url: 'the URL to request; a change is a replace',
  intervalSeconds: 'seconds between runs; omitted: not managed by the file; a change is a replace',
  regions: 'region codes such as fra; omitted: every live region',
  assertionStatusMin: 'lowest status that is up, instead of 200',
  assertionStatusMax: 'highest status that is up, instead of 299',
  assertionBodyOp: 'how the body is tested for the value',
  assertionBodyValue: 'literal text, not a pattern',
  assertionBodyCaseSensitive: 'whether the test is case-sensitive',
  assertionJsonPath: 'a path in a JSON body: plain keys and indexes, such as a.items[0].name',
  assertionJsonOp: 'how the value at the path is tested',
  assertionJsonValue: 'the value to compare with, as text',
} as const satisfies Record<(typeof fieldNames)[number], string>

/** The parts of a JSON schema that are used here. */
type Shape = {
  type?: string | string[]
  anyOf?: Shape[]
  enum?: string[]
  items?: Shape
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
}

/** The fields of a check in the file, with the values that the API's schemas accept. */
const fieldTable = (): string[] => {
  const schema = z.toJSONSchema(FileCheckInput, { io: 'input' })
  const properties = schema.properties as Readonly<Record<string, Shape>>
  return table([
    ['field', 'value', 'required', ''],
    ...fieldNames.map((field) => [
      code(field),
      kindsOf(properties[field] ?? {}).join(' or '),
      schema.required?.includes(field) === true ? 'yes' : '',
      prose(meanings[field]),
    ]),
  ])
}

/** Leaves null out: it only means that a field is not set. */
const kindsOf = (shape: Shape): string[] => {
  if (shape.anyOf !== undefined) return shape.anyOf.flatMap(kindsOf)
  if (shape.enum !== undefined) return shape.enum.map(code)
  return [shape.type ?? []].flat().flatMap((type) => kindOf(type, shape))
}

const kindOf = (type: string, shape: Shape): string[] => {
  switch (type) {
    case 'null':
      return []
    case 'boolean':
      return ['true', 'false']
    case 'integer':
    case 'number':
      return [`${type}${range(shape.minimum, shape.maximum, '')}`]
    case 'string':
      return [`text${range(shape.minLength, shape.maxLength, ' characters')}`]
    case 'array':
      return [`list${range(shape.minItems, shape.maxItems, ' entries')}`]
    default:
      throw new Error(`no words for a value of type ${type}`)
  }
}

const range = (least: number | undefined, most: number | undefined, unit: string): string => {
  const text = (count: number): string => count.toLocaleString('en')
  if (most === undefined) return least === undefined ? '' : ` of at least ${text(least)}${unit}`
  return least === undefined ? ` of at most ${text(most)}${unit}` : `, ${text(least)} to ${text(most)}${unit}`
}
