/** As much of JSON Schema as the messages of the bus are made of. */
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
 * Why a reader of one version would not take what a writer of another version may write: the places
 * with what is wrong there. What the reader does not know is no reason, since it is passed over.
 * @param isNewVariantTold whether a variant that the reader does not know is told and hurts nothing
 */
export const wireBreaks = (
  writer: WireSchema,
  reader: WireSchema,
  isNewVariantTold: boolean,
  at = '',
): string[] => {
  const [written, read] = [variants(writer), variants(reader)]
  if (written.length > 1 || read.length > 1) {
    return written.flatMap((one) => {
      const fits = read.map((other) => wireBreaks(one, other, isNewVariantTold, at))
      if (fits.some((breaks) => breaks.length === 0)) return []
      const same = read.findIndex(
        (other) => nameOf(other) !== null && nameOf(other) === nameOf(one),
      )
      if (same >= 0) return fits[same] ?? []
      return isNewVariantTold && nameOf(one) !== null ? [] : [`${at}: ${shown(one)} is not known`]
    })
  }
  return [
    ...values(writer, reader).map((what) => `${at}: ${what}`),
    ...(reader.required ?? [])
      .filter((name) => !(writer.required ?? []).includes(name))
      .map((name) => `${at}/${name}: needed, and may be missing`),
    ...Object.entries(writer.properties ?? {}).flatMap(([name, property]) => {
      const other = reader.properties?.[name]
      return other === undefined
        ? []
        : wireBreaks(property, other, isNewVariantTold, `${at}/${name}`)
    }),
    ...(writer.items === undefined || reader.items === undefined
      ? []
      : wireBreaks(writer.items, reader.items, isNewVariantTold, `${at}[]`)),
  ]
}

const variants = (schema: WireSchema): WireSchema[] =>
  (schema.anyOf ?? schema.oneOf)?.flatMap(variants) ?? [schema]

/** What tells a variant from the others. */
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
      : written
          .filter((value) => !read.includes(value))
          .map((value) => `${String(value)} is not known`)),
    ...(read !== null && written === null ? ['any value, where some are known'] : []),
    ...(reader.pattern !== undefined && reader.pattern !== writer.pattern
      ? ['another pattern']
      : []),
    ...above('maximum'),
    ...above('maxLength'),
    ...above('maxItems'),
    ...((writer.minimum ?? -Infinity) < (reader.minimum ?? -Infinity)
      ? ['minimum is smaller']
      : []),
  ]
}

/** A whole number is a number. */
const covers = (reader: string | string[], writer: string | string[]): boolean =>
  [writer]
    .flat()
    .every((type) =>
      [reader].flat().some((one) => one === type || (one === 'number' && type === 'integer')),
    )

const shown = (schema: WireSchema): string => JSON.stringify(nameOf(schema) ?? schema).slice(0, 80)
