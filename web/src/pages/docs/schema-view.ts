import { html, type Html, type Piece } from '@probe-mesh/runtime/html'
import type { Schema } from '../../api/open-api.ts'
import { inlineCode } from './inline-code.ts'

type Schemas = Readonly<Record<string, Schema>>

/** A field of an object, or a parameter. */
export type Field = { name: string; schema: Schema; isRequired: boolean; description?: string }

/** The context of a schema in the view. */
type Place = {
  schemas: Schemas
  /** Names of the schemas around it, which are not opened again. */ around: readonly string[]
}

export const fieldsOf = ({ properties = {}, required = [] }: Schema): Field[] =>
  Object.entries(properties).map(([name, schema]) => ({ name, schema, isRequired: required.includes(name) }))

/**
 * Fields with their types; nested fields are behind a disclosure.
 * @param marksRequired whether fields may be optional; in an answer all are present
 */
export const fieldList = (
  fields: readonly Field[],
  schemas: Schemas,
  { marksRequired }: { marksRequired: boolean },
): Html => listOf(fields, { schemas, around: [] }, marksRequired)

const listOf = (fields: readonly Field[], place: Place, marksRequired: boolean): Html =>
  html`<ul class="schema">
    ${fields.map((field) => fieldOf(field, place, marksRequired))}
  </ul>`

const fieldOf = (
  { name, schema, isRequired, description }: Field,
  place: Place,
  marksRequired: boolean,
): Html => {
  const about = description ?? schema.description
  return html`<li>
    <p class="field-head">
      <code>${name}</code> <span class="muted">${typeText(schema, place.schemas)}</span>
      ${marksRequired && isRequired && html`<b class="required">required</b>`}
    </p>
    ${about !== undefined && html`<p class="field-about">${inlineCode(about)}</p>`}
    ${inside(schema, place, marksRequired)}
  </li>`
}

/** The nested fields, separately for each variant. */
const inside = (schema: Schema, place: Place, marksRequired: boolean): Piece =>
  objectsOf(schema, place).map(({ object, name, around }) => {
    const fields = fieldsOf(object)
    const label = name ?? variantName(object)
    const text = `${label === null ? '' : `${label}: `}${fields.length} ${fields.length === 1 ? 'field' : 'fields'}`
    return html`<details>
      <summary>${text}</summary>
      ${listOf(fields, { ...place, around }, marksRequired)}
    </details>`
  })

type Inner = {
  object: Schema
  /** Of a schema that has one. */ name: string | null
  around: readonly string[]
}

/** The objects within a value, without those that enclose it. */
export const objectsOf = (schema: Schema, { schemas, around }: Place): Inner[] => {
  const inner = (each: Schema): Inner[] => objectsOf(each, { schemas, around })
  if (schema.$ref !== undefined) {
    const name = nameOf(schema.$ref)
    const found = schemas[name]
    if (found === undefined || around.includes(name)) return []
    const within = { schemas, around: [...around, name] }
    return objectsOf(found, within).map((each) => ({ ...each, name: each.name ?? name }))
  }
  const variants = schema.anyOf ?? schema.oneOf
  if (variants !== undefined) return variants.flatMap(inner)
  if (schema.items !== undefined) return inner(schema.items)
  if (typeof schema.additionalProperties === 'object') return inner(schema.additionalProperties)
  if (Object.keys(schema.properties ?? {}).length === 0) return []
  return [{ object: schema, name: null, around }]
}

/** `type "json"`: the field that identifies a variant; null without one. */
export const variantName = ({ properties = {} }: Schema): string | null => {
  const constants = Object.entries(properties).filter(([, each]) => each.const !== undefined)
  return constants.length === 0
    ? null
    : constants.map(([name, each]) => `${name} ${JSON.stringify(each.const)}`).join(', ')
}

const nameOf = (reference: string): string => reference.split('/').at(-1) ?? ''

/** The type of a value in a few words. */
export const typeText = (schema: Schema, schemas: Schemas): string => {
  if (schema.$ref !== undefined) return typeText(schemas[nameOf(schema.$ref)] ?? {}, schemas)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(', ')
  const variants = schema.anyOf ?? schema.oneOf
  if (variants !== undefined)
    return [...new Set(variants.map((each) => typeText(each, schemas)))].join(' or ')
  if (schema.type === 'array')
    return `list of ${schema.items === undefined ? 'values' : typeText(schema.items, schemas)}`
  const bounds = [
    schema.format === 'date-time' ? ', ISO 8601 time' : schema.format === 'uuid' ? ', UUID' : '',
    rangeText(schema),
    schema.maxLength === undefined ? '' : `, at most ${schema.maxLength} characters`,
    schema.default === undefined ? '' : `, default ${JSON.stringify(schema.default)}`,
  ].join('')
  return `${[schema.type ?? 'any value'].flat().join(' or ')}${bounds}`
}

const rangeText = ({ minimum, maximum }: Schema): string => {
  if (minimum !== undefined && maximum !== undefined) return `, ${minimum} to ${maximum}`
  if (minimum !== undefined) return `, at least ${minimum}`
  return maximum === undefined ? '' : `, at most ${maximum}`
}
