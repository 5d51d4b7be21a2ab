import { z } from 'zod'
import { fieldNames, FileCheckInput, fileLimits } from '../file/checks-file.ts'
import type { FileCheck } from '../file/checks-file.ts'
import { writeChecksFile } from '../file/write-file.ts'
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

/** What each field says; what it may be stands in the schema. */
const meanings = {
  name: 'what the check is matched by: unique in the file and among the checks of the account',
  url: 'what is asked; another one is a replace',
  intervalSeconds: 'how often; without it not managed by the file; another one is a replace',
  regions: 'from where, codes such as fra; without it every live region',
  assertionStatusMin: 'lowest status that is up, in the place of 200',
  assertionStatusMax: 'highest status that is up, in the place of 299',
  assertionBodyOp: 'what the body must do with the value',
  assertionBodyValue: 'literal text, no pattern',
  assertionBodyCaseSensitive: 'whether case counts there',
  assertionJsonPath: 'a place in a JSON body: plain keys and indexes, such as a.items[0].name',
  assertionJsonOp: 'what stands there must do',
  assertionJsonValue: 'what it is compared with, as text',
} as const satisfies Record<(typeof fieldNames)[number], string>

/** What the schemas say of a value, as far as they are used here. */
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

/** The fields of a check of the file, with what the API's schemas take. */
const fieldTable = (): string[] => {
  const schema = z.toJSONSchema(FileCheckInput, { io: 'input' })
  const properties = schema.properties as Readonly<Record<string, Shape>>
  return table([
    ['field', 'value', 'needed', ''],
    ...fieldNames.map((field) => [
      code(field),
      kindsOf(properties[field] ?? {}).join(' or '),
      schema.required?.includes(field) === true ? 'yes' : '',
      prose(meanings[field]),
    ]),
  ])
}

/** Null is left out: it says that a field is not set. */
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
  return least === undefined
    ? ` of at most ${text(most)}${unit}`
    : `, ${text(least)} to ${text(most)}${unit}`
}
