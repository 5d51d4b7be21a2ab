import type { Choice, Typed } from './form.ts'
import type { IconName } from './icon.ts'

/**
 * A field of a form. Its name is the API's path of its value, such as `settings.expect.op`, so a problem
 * finds its field and the body follows from the names.
 */
export type Field = {
  name: string
  label: string
  hint?: string
  isRequired?: true
  /** Two short fields share a row. */
  isShort?: true
  /** An address; phones show a matching keyboard. */
  isUrl?: true
} & (
  | {
      kind: 'text'
      rows?: number
      lineBreak?: '\r\n'
      /** If the named field has one of these values, an empty field means the empty text. */
      emptyWith?: { name: string; values: readonly string[] }
    }
  | { kind: 'number' }
  | { kind: 'choice'; choices: readonly Choice[] }
  | { kind: 'lines' }
  /** `name: value` on each line. */
  | { kind: 'headers' }
  | { kind: 'flag' }
)

/** Fields that stand together. */
export type FieldGroup = {
  legend: string
  fields: readonly Field[]
  /** Collapsed until used: most checks do not need it. */
  isFolded?: true
}

/** How a type of check is shown and filled in. Name, interval, regions, tags and timeout are the same for all types. */
export type TypeForm = {
  name: string
  /** What it does, in a sentence. */
  about: string
  icon: IconName
  groups: readonly FieldGroup[]
  /** The values of a new check. */
  usual?: Typed
}
