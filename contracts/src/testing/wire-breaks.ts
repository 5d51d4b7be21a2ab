/** The part of JSON Schema that messages of the bus use. */
export type WireSchema = {
  type?: string | string[]
  properties?: Record<string, WireSchema>
  required?: string[]
  items?: WireSchema
  anyOf?: WireSchema[]
  oneOf?: WireSchema[]
  enum?: unknown[]
  const?: unknown
  pattern?: string
  maximum?: number
  minimum?: number
  maxLength?: number
  maxItems?: number
}

/**
 * The reasons why a reader of one version refuses messages of a writer of another version, with their paths.
 * Readers ignore unknown members.
 * @param acceptsNewVariants whether the reader reports unknown variants without harm
 */
export const wireBreaks = (
  writer: WireSchema,
  reader: WireSchema,
  acceptsNewVariants: boolean,
  at = '',
): string[] => {
  const [written, read] = [variants(writer), variants(reader)]
  if (written.length > 1 || read.length > 1) {
    return written.flatMap((one) => {
      const fits = read.map((other) => wireBreaks(one, other, acceptsNewVariants, at))
      if (fits.some((breaks) => breaks.length === 0)) return []
      const same = read.findIndex((other) => nameOf(other) !== null && nameOf(other) === nameOf(one))
      if (same >= 0) return fits[same] ?? []
      return acceptsNewVariants && nameOf(one) !== null ? [] : [`${at}: ${shown(one)} is not known`]
    })
  }
  return [
    ...values(writer, reader).map((what) => `${at}: ${what}`),
    ...(reader.required ?? [])
      .filter((name) => !(writer.required ?? []).includes(name))
      .map((name) => `${at}/${name}: needed, and may be missing`),
    ...Object.entries(writer.properties ?? {}).flatMap(([name, property]) => {
      const other = reader.properties?.[name]
      return other === undefined ? [] : wireBreaks(property, other, acceptsNewVariants, `${at}/${name}`)
    }),
    ...(writer.items === undefined || reader.items === undefined
      ? []
      : wireBreaks(writer.items, reader.items, acceptsNewVariants, `${at}[]`)),
  ]
}

const variants = (schema: WireSchema): WireSchema[] =>
  (schema.anyOf ?? schema.oneOf)?.flatMap(variants) ?? [schema]

/** The discriminator of a variant. */
const nameOf = ({ properties }: WireSchema): unknown => properties?.['type']?.const ?? null

const values = (writer: WireSchema, reader: WireSchema): string[] => {
  const written = writer.enum ?? (writer.const === undefined ? null : [writer.const])
  const read = reader.enum ?? (reader.const === undefined ? null : [reader.const])
  const { type } = writer
  if (reader.type !== undefined && type !== undefined && !covers(reader.type, type)) {
    return [`${type} is not ${reader.type}`]
  }
  const above = (name: 'maximum' | 'maxLength' | 'maxItems'): string[] =>
    (writer[name] ?? Infinity) > (reader[name] ?? Infinity) ? [`${name} is larger`] : []
  return [
    ...(read === null || written === null
      ? []
      : written.filter((value) => !read.includes(value)).map((value) => `${String(value)} is not known`)),
    ...(read !== null && written === null ? ['any value, where some are known'] : []),
    ...(reader.pattern !== undefined && reader.pattern !== writer.pattern ? ['another pattern'] : []),
    ...above('maximum'),
    ...above('maxLength'),
    ...above('maxItems'),
    ...((writer.minimum ?? -Infinity) < (reader.minimum ?? -Infinity) ? ['minimum is smaller'] : []),
  ]
}

/** A whole number is a number. */
const covers = (reader: string | string[], writer: string | string[]): boolean =>
  [writer]
    .flat()
    .every((type) => [reader].flat().some((one) => one === type || (one === 'number' && type === 'integer')))

const shown = (schema: WireSchema): string => JSON.stringify(nameOf(schema) ?? schema).slice(0, 80)
