import { layersMax, type Schedule } from '@probe-mesh/contracts/on-call/schedule'
import type { Member } from '@probe-mesh/contracts/account/members'
import type { FieldProblem } from '@probe-mesh/contracts/schema/refusal'
import { card } from '../../html/components/card.ts'
import { choicesField } from '../../html/components/choices-field.ts'
import {
  longTextField,
  problemSummary,
  selectField,
  textField,
  type FormState,
  type Typed,
} from '../../html/components/form.ts'
import { html, type Html } from '@probe-mesh/runtime/html'
import { instantOf, typedOfInstant, zones } from '../../html/local-time.ts'

export type People = readonly Pick<Member, 'id' | 'name' | 'email'>[]

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const everyDay = weekdays.map((_, index) => String(index + 1))

/** A schedule as its form has it: texts by field, and the ticked days of each layer. */
export type TypedSchedule = { fields: Typed; days: readonly (readonly string[])[]; overrides: number }

/** The fields of a stored schedule, or of a new one. */
export const typedSchedule = (schedule: Schedule | null, people: People, zone: string): TypedSchedule => {
  const emailOf = (id: string): string => people.find((each) => each.id === id)?.email ?? id
  if (schedule === null) return { fields: { timeZone: zone }, days: [], overrides: 0 }
  const { name, timeZone, layers, overrides } = schedule
  return {
    fields: Object.fromEntries([
      ['name', name],
      ['timeZone', timeZone],
      ...layers.flatMap((layer, index) => [
        [`layers[${index}].userIds`, layer.userIds.map(emailOf).join('\n')],
        [`layers[${index}].handOver`, layer.handOver],
        [`layers[${index}].until`, layer.until ?? ''],
        [`layers[${index}].length`, String(layer.length)],
        [`layers[${index}].unit`, layer.unit],
        [`layers[${index}].startDate`, layer.startDate],
      ]),
      ...overrides.flatMap(({ userId, from, to }, index) => [
        [`overrides[${index}].userId`, userId],
        [`overrides[${index}].from`, typedOfInstant(Date.parse(from), timeZone)],
        [`overrides[${index}].to`, typedOfInstant(Date.parse(to), timeZone)],
      ]),
    ]),
    days: layers.map((layer) => layer.weekdays.map(String)),
    overrides: overrides.length,
  }
}

/** What was submitted, as it was typed. */
export const submittedSchedule = (form: URLSearchParams): TypedSchedule => {
  const indexes = [...form.keys()].flatMap((name) => /^overrides\[(\d+)\]/.exec(name)?.[1] ?? [])
  return {
    fields: Object.fromEntries(form),
    days: Array.from({ length: layersMax }, (_, index) => form.getAll(`layers[${index}].weekdays`)),
    overrides: Math.max(0, ...indexes.map((index) => Number(index) + 1)),
  }
}

/**
 * The API's input. Layers without members and overrides without a member are left out, which deletes them.
 * @returns also the lines that name no member
 */
export const scheduleBody = (
  { fields, days, overrides }: TypedSchedule,
  people: People,
): { body: unknown; problems: FieldProblem[] } => {
  const problems: FieldProblem[] = []
  const zone = fields['timeZone'] ?? ''
  const isZone = zones.includes(zone)
  const field = (name: string): string => fields[name]?.trim() ?? ''
  const memberOf = (line: string, path: string): string => {
    const found = people.find(
      ({ id, email, name }) => email.toLowerCase() === line.toLowerCase() || name === line || id === line,
    )
    if (found === undefined) problems.push({ path, message: `no member has the address ${line}` })
    return found?.id ?? line
  }
  const layers = Array.from({ length: layersMax }, (_, index) => index).flatMap((index) => {
    const at = `layers[${index}]`
    const lines = field(`${at}.userIds`)
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
    if (lines.length === 0) return []
    return [
      {
        userIds: lines.map((line, row) => memberOf(line, `${at}.userIds[${row}]`)),
        handOver: field(`${at}.handOver`),
        until: field(`${at}.until`) === '' ? null : field(`${at}.until`),
        length: field(`${at}.length`) === '' ? Number.NaN : Number(field(`${at}.length`)),
        unit: field(`${at}.unit`),
        startDate: field(`${at}.startDate`),
        weekdays: (days[index] ?? []).map(Number),
      },
    ]
  })
  const others = Array.from({ length: overrides }, (_, index) => index).flatMap((index) => {
    const at = `overrides[${index}]`
    const userId = field(`${at}.userId`)
    const instant = (text: string): string => (isZone || zone === 'UTC' ? instantOf(text, zone) : text)
    if (userId === '') return []
    return [{ userId, from: instant(field(`${at}.from`)), to: instant(field(`${at}.to`)) }]
  })
  return { body: { name: field('name'), timeZone: zone, layers, overrides: others }, problems }
}

const layerFields = ['userIds', 'handOver', 'until', 'length', 'unit', 'startDate', 'weekdays']

/** The form of a schedule: its layers and one more, its overrides and one more. */
export const scheduleForm = (
  to: { id: string | null },
  typed: TypedSchedule,
  people: People,
  problems: Pick<FormState, 'message' | 'problems'>,
): Html => {
  const form: FormState = { ...problems, typed: typed.fields }
  const hasLayer = (index: number): boolean => (typed.fields[`layers[${index}].userIds`] ?? '') !== ''
  const layerCount = Math.min(
    layersMax,
    Array.from({ length: layersMax }, (_, at) => at).filter(hasLayer).length + 1,
  )
  const names = [
    'name',
    'timeZone',
    ...Array.from({ length: layersMax }, (_, at) =>
      layerFields.map((name) => `layers[${at}].${name}`),
    ).flat(),
    ...Array.from({ length: typed.overrides + 1 }, (_, at) =>
      ['userId', 'from', 'to'].map((name) => `overrides[${at}].${name}`),
    ).flat(),
  ]
  return html`${problemSummary(form, names)}
    <form method="post" action="/dashboard/on-call${to.id === null ? '/schedules' : `/${to.id}`}">
      ${card(
        { id: 'schedule', title: 'Schedule' },
        html`<div class="fields">
          ${textField(form, { name: 'name', label: 'Name', isRequired: true })}
          ${selectField(form, {
            name: 'timeZone',
            label: 'Time zone',
            choices: ['UTC', ...zones].map((zone) => ({ value: zone, label: zone })),
          })}
        </div>`,
      )}
      ${Array.from({ length: layerCount }, (_, index) => layerCard(form, typed, index))}
      ${card(
        { id: 'overrides', title: 'Overrides', about: 'Somebody else is on call for a while.' },
        html`${Array.from({ length: typed.overrides + 1 }, (_, index) => overrideFields(form, people, index))}
          <p class="muted">An override without a member is removed. Save to add another one.</p>`,
      )}
      <p class="actions">
        <button class="primary" type="submit">${to.id === null ? 'Create schedule' : 'Save schedule'}</button>
        <a href="/dashboard/on-call">Cancel</a>
      </p>
    </form>`
}

const layerCard = (form: FormState, { days }: TypedSchedule, index: number): Html => {
  const at = (name: string): string => `layers[${index}].${name}`
  return card(
    {
      id: `layer-${index}`,
      title: `Layer ${index + 1}`,
      about:
        index === 0
          ? 'Members who take turns.'
          : 'Goes before the layers above. Leave it empty to have none.',
    },
    folded(
      index > 0 && (form.typed[at('userIds')] ?? '') === '' && !hasProblem(form, index),
      html`<div class="fields">
        ${longTextField(form, {
          name: at('userIds'),
          label: 'Members in their order',
          hint: 'One e-mail address a line.',
          rows: 3,
        })}
        ${textField(form, { name: at('handOver'), label: 'Hand-over', type: 'time', fallback: '09:00' })}
        ${textField(form, {
          name: at('until'),
          label: 'Until (optional)',
          type: 'time',
          hint: 'Ends the shift of each day, on the next day if it is earlier. Empty: until the next hand-over.',
        })}
        ${textField(form, { name: at('length'), label: 'Length of a turn', inputMode: 'numeric', fallback: '1' })}
        ${selectField(form, {
          name: at('unit'),
          label: 'Unit',
          fallback: 'weeks',
          choices: [
            { value: 'days', label: 'days' },
            { value: 'weeks', label: 'weeks' },
            { value: 'on_call_days', label: 'days on call: free days do not count' },
          ],
        })}
        ${textField(form, {
          name: at('startDate'),
          label: 'First day',
          type: 'date',
          fallback: new Date().toISOString().slice(0, 10),
        })}
        ${choicesField(form, {
          name: at('weekdays'),
          label: 'Days on call',
          hint: 'Each from its hand-over to the next.',
          choices: weekdays.map((label, day) => ({ value: String(day + 1), label })),
          ticked: new Set(days[index]?.length ? days[index] : everyDay),
        })}
      </div>`,
    ),
  )
}

/** An empty layer is folded away, so that one rotation is one short form. */
const folded = (isFolded: boolean, fields: Html): Html =>
  isFolded
    ? html`<details>
        <summary>Add another layer</summary>
        ${fields}
      </details>`
    : fields

const hasProblem = ({ problems }: FormState, index: number): boolean =>
  problems.some(({ path }) => path.startsWith(`layers[${index}]`))

const overrideFields = (form: FormState, people: People, index: number): Html => {
  const at = (name: string): string => `overrides[${index}].${name}`
  return html`<div class="fields">
    ${selectField(form, {
      name: at('userId'),
      label: `Override ${index + 1}: member`,
      choices: [
        { value: '', label: 'none' },
        ...people.map(({ id, name, email }) => ({ value: id, label: name ?? email })),
      ],
    })}
    ${textField(form, { name: at('from'), label: 'From', type: 'datetime-local' })}
    ${textField(form, { name: at('to'), label: 'To', type: 'datetime-local' })}
  </div>`
}
