import { z } from 'zod'
import { FileCheckInput, fieldNames } from '../file/checks-file.ts'
import { code, prose, table } from './markdown.ts'

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
export const fieldTable = (): string[] => {
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
