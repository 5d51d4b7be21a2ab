import type { Field } from '../../html/components/field.ts'

const bodyOps = [
  { value: '', label: 'anything' },
  { value: 'contains', label: 'contains' },
  { value: 'not_contains', label: 'does not contain' },
]
const headerOps = [
  { value: '', label: 'any value' },
  { value: 'equals', label: 'equals' },
  { value: 'contains', label: 'contains' },
]
const jsonOps = [
  { value: '', label: 'anything' },
  { value: 'equals', label: 'equals' },
  { value: 'contains', label: 'contains' },
  { value: 'exists', label: 'exists' },
]

/** `statusMin` is a check's `assertionStatusMin` and a step's `assertions.statusMin`. */
type Naming = (name: string) => string

const ofCheck: Naming = (name) => `assertion${name.charAt(0).toUpperCase()}${name.slice(1)}`
const ofStep: Naming = (name) => `assertions.${name}`

const statusAndBody = (at: Naming): readonly Field[] => [
  {
    name: at('statusMin'),
    label: 'Status from',
    kind: 'number',
    hint: 'Default: 200 to 299.',
    isShort: true,
  },
  { name: at('statusMax'), label: 'Status to', kind: 'number', isShort: true },
  { name: at('bodyOp'), label: 'Body', kind: 'choice', choices: bodyOps, isShort: true },
  { name: at('bodyValue'), label: 'Body text', kind: 'text', rows: 1, hint: 'Plain text, no patterns.' },
  { name: at('bodyCaseSensitive'), label: 'Case-sensitive', kind: 'flag' },
]

const header = (at: Naming): readonly Field[] => [
  { name: at('headerName'), label: 'Header', kind: 'text', hint: 'Such as content-type.', isShort: true },
  { name: at('headerOp'), label: 'Header value', kind: 'choice', choices: headerOps, isShort: true },
  {
    name: at('headerValue'),
    label: 'Header text',
    kind: 'text',
    emptyWith: { name: at('headerOp'), values: ['equals', 'contains'] },
  },
]

const json = (at: Naming): readonly Field[] => [
  {
    name: at('jsonPath'),
    label: 'JSON path',
    kind: 'text',
    hint: 'Keys and indexes, such as data.items[0].name.',
  },
  { name: at('jsonOp'), label: 'JSON value', kind: 'choice', choices: jsonOps, isShort: true },
  {
    name: at('jsonValue'),
    label: 'JSON text',
    kind: 'text',
    emptyWith: { name: at('jsonOp'), values: ['equals', 'contains'] },
  },
]

/** The eight assertion fields of an http check. */
export const checkAssertionFields: readonly Field[] = [...statusAndBody(ofCheck), ...json(ofCheck)]

/** The assertion fields of a step, in evaluation order (S-404). */
export const stepAssertionFields: readonly Field[] = [
  ...statusAndBody(ofStep),
  ...header(ofStep),
  ...json(ofStep),
]
