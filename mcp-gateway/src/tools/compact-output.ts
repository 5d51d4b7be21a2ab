type Json = { [key: string]: unknown }

/**
 * What bounds or repeats a value: for those who write one. Who reads an answer needs names, types and words. `required`
 * goes too: optional fields say in their words when they are absent. Answers may gain fields, so no object is closed.
 */
const ofWriters: ReadonlySet<string> = new Set([
  'additionalProperties',
  'default',
  'examples',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'maxItems',
  'maxLength',
  'maximum',
  'minItems',
  'minLength',
  'minimum',
  'pattern',
  'propertyNames',
  'required',
])

/**
 * The schema of an answer in few words (S-2590): it accepts each answer that the whole one accepts, with the same fields,
 * types, values and descriptions, and has no reference.
 */
export const compactOutput = (schema: Json): Json => {
  const own: Json = {}
  for (const [key, value] of Object.entries(schema)) {
    if (ofWriters.has(key)) continue
    if (key === 'properties') own[key] = ofEach(value as Json)
    else own[key] = compactValue(key, value)
  }
  const { items } = own
  // an array of texts or numbers is described as a whole
  if (isObject(items) && items['properties'] === undefined && items['anyOf'] === undefined)
    delete items['description']
  return withoutType(orNull(mergeKinds(own)))
}

const ofEach = (properties: Json): Json =>
  Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, compactOutput(part as Json)]))

/** Values of an enumeration stay as they are. */
const compactValue = (key: string, value: unknown): unknown => {
  if (key === 'enum' || key === 'const' || key === 'type') return value
  if (Array.isArray(value)) return value.map((part: unknown) => (isObject(part) ? compactOutput(part) : part))
  return isObject(value) ? compactOutput(value) : value
}

/**
 * Kinds of one object as one object, such as the settings of the types of checks: each field of any kind is there once,
 * with its words, and what is inside it is left to the API's own description. An answer of any kind is valid in it.
 */
const mergeKinds = (schema: Json): Json => {
  const { oneOf, ...rest } = schema
  if (!Array.isArray(oneOf) || !oneOf.every((kind) => isObject(kind) && isObject(kind['properties'])))
    return schema
  const properties: Json = {}
  for (const kind of oneOf as { properties: Json }[]) {
    for (const [name, part] of Object.entries(kind.properties)) {
      properties[name] = either(properties[name] as Json | undefined, part as Json)
    }
  }
  return { type: 'object', properties, ...rest }
}

/** A field by all kinds that have it: the values of each, and its type where they have one. */
const either = (before: Json | undefined, { type, description, enum: values, const: value }: Json): Json => {
  const own = Array.isArray(values) ? (values as unknown[]) : value === undefined ? null : [value]
  if (before === undefined) {
    return { ...(type === undefined ? {} : { type }), ...(own === null ? {} : { enum: own }), description }
  }
  const { type: earlier, enum: others, description: words } = before
  const isEnumerated = own !== null && Array.isArray(others)
  return {
    ...(type !== undefined && JSON.stringify(type) === JSON.stringify(earlier) ? { type } : {}),
    ...(isEnumerated ? { enum: [...new Set([...(others as unknown[]), ...own])] } : {}),
    description: words,
  }
}

/** A value or null in one schema, in place of a choice of two. */
const orNull = (schema: Json): Json => {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema
  const [{ type, enum: values, ...value }, none] = anyOf as [Json, Json]
  if (none['type'] !== 'null') return schema
  if (Array.isArray(values)) return { ...value, enum: [...(values as unknown[]), null], ...rest }
  return typeof type === 'string' ? { ...value, type: [type, 'null'], ...rest } : schema
}

/** Values that are listed say their type. */
const withoutType = (schema: Json): Json => {
  if (schema['enum'] === undefined && schema['const'] === undefined) return schema
  const { type: _, ...rest } = schema
  return rest
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
