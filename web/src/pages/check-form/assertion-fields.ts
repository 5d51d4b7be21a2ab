import type { Field } from './field.ts'

const bodyOps = [
  { value: '', label: 'anything' },
  { value: 'contains', label: 'contains' },
  { value: 'not_contains', label: 'does not contain' },
]
const headerOps = [
  { value: '', label: 'anything' },
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
    label: 'Lowest good status',
    kind: 'number',
    hint: 'Without a range, 200 to 299 is good.',
  },
  { name: at('statusMax'), label: 'Highest good status', kind: 'number' },
  { name: at('bodyOp'), label: 'The body', kind: 'choice', choices: bodyOps },
  {
    name: at('bodyValue'),
    label: 'Text of the body',
    kind: 'text',
    rows: 2,
    hint: 'Literal text; no regular expressions.',
  },
  { name: at('bodyCaseSensitive'), label: 'Upper and lower case differ', kind: 'flag' },
]

const header = (at: Naming): readonly Field[] => [
  { name: at('headerName'), label: 'Header', kind: 'text', hint: 'Such as content-type.' },
  { name: at('headerOp'), label: 'The header', kind: 'choice', choices: headerOps },
  {
    name: at('headerValue'),
    label: 'Text of the header',
    kind: 'text',
    hint: 'Empty is the empty text.',
    emptyWith: { name: at('headerOp'), values: ['equals', 'contains'] },
  },
]

const json = (at: Naming): readonly Field[] => [
  {
    name: at('jsonPath'),
    label: 'Path into the JSON',
    kind: 'text',
    hint: 'Plain keys and indexes, such as data.items[0].name.',
  },
  { name: at('jsonOp'), label: 'What is there', kind: 'choice', choices: jsonOps },
  {
    name: at('jsonValue'),
    label: 'Text of what is there',
    kind: 'text',
    hint: 'Left empty where it must exist; elsewhere, empty is the empty text.',
    emptyWith: { name: at('jsonOp'), values: ['equals', 'contains'] },
  },
]

/** The eight assertion fields of an http check. */
export const checkAssertionFields: readonly Field[] = [...statusAndBody(ofCheck), ...json(ofCheck)]

/** A step's, in the order in which they are evaluated (S-404). */
export const stepAssertionFields: readonly Field[] = [
  ...statusAndBody(ofStep),
  ...header(ofStep),
  ...json(ofStep),
]
