import type {
  CreateMaintenanceInput,
  MaintenanceWindow,
  UpdateMaintenanceInput,
} from '@probe-mesh/contracts/maintenance/maintenance'
import type { Component, StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import type { z } from 'zod'
import { orNull } from '../typed.ts'
import { card } from '../../html/components/card.ts'
import { choicesField } from '../../html/components/choices-field.ts'
import {
  longTextField,
  problemSummary,
  selectField,
  textField,
  type Choice,
  type FormState,
  type Typed,
} from '../../html/components/form.ts'
import { tag } from '../../html/components/tag.ts'
import { shortDuration } from '../../html/measures.ts'
import { maintenanceWords } from '../../html/publish-words.ts'
import { html, type Html } from '@probe-mesh/runtime/html'
import { instantOf, typedOfInstant, utc, zonedText, zoneOr, zones } from '../../html/local-time.ts'

const fields = [
  'title',
  'body',
  'note',
  'startsAt',
  'durationMinutes',
  'endsAt',
  'zone',
  'componentIds',
] as const

export type WindowForm = {
  form: FormState
  ticked: ReadonlySet<string>
  /** The zone of the member, the default for times. */
  zone: string
  nowMs: number
}

/** @param about.window the edited window; absent for a new one */
export const windowForm = (
  page: StatusPage,
  components: readonly Component[],
  asked: WindowForm,
  about: { path: string; window?: MaintenanceWindow; submit: string; cancelPath: string },
): Html => {
  const { path, window, submit, cancelPath } = about
  const { form, ticked } = asked
  const zone = form.typed['zone'] === undefined ? asked.zone : zoneOr(form.typed['zone'])
  const typed = (at: string): string => typedOfInstant(Date.parse(at), zone)
  return html`
    ${problemSummary(form, fields)}
    <form class="check-form post-form" method="post" action="${path}">
      <input type="hidden" name="statusPageId" value="${page.id}" />
      <div class="form-main">
        <section class="card">
          <div class="fields">
            ${textField(form, { name: 'title', label: 'Title', isRequired: true, ...(window && { fallback: window.title }) })}
            ${longTextField(form, { name: 'body', label: 'Message', isRequired: true, ...(window && { fallback: window.body }) })}
            ${longTextField(form, { name: 'note', label: 'Note for your team', hint: 'No page, feed or mail shows it.', fallback: window?.note ?? '' })}
          </div>
        </section>
        <section class="card">
          <div class="fields">
            <div class="short">
              ${textField(form, { name: 'startsAt', label: 'Start', type: 'datetime-local', hint: window === undefined ? 'Empty: it starts now.' : 'Must be in the future.', ...(window && { fallback: typed(window.startsAt) }) })}
            </div>
            <div class="short">
              ${selectField(form, { name: 'zone', label: 'Time zone', hint: `Now ${zonedText(asked.nowMs, zone)}.`, fallback: zone, choices: zoneChoices(asked.zone) })}
            </div>
            <div class="short">
              ${selectField(form, { name: 'durationMinutes', label: 'Duration', hint: 'Or set an end time.', choices: durationChoices(form.typed['durationMinutes']) })}
            </div>
            <div class="short">
              ${textField(form, { name: 'endsAt', label: 'End', type: 'datetime-local', hint: 'Only without a duration.', ...(window && { fallback: typed(window.endsAt) }) })}
            </div>
            ${
              components.length > 0 &&
              choicesField(form, {
                name: 'componentIds',
                label: 'Components',
                hint: 'None ticked: the whole page.',
                choices: components.map(({ id, displayName, groupName = null }) => ({
                  value: id,
                  label: displayName,
                  group: groupName,
                })),
                ticked,
              })
            }
          </div>
        </section>
      </div>
      <div class="form-side">
        ${previewCard(page, components, { path, form, ticked, zone, nowMs: asked.nowMs, ...(window && { window }) })}
      </div>
      <p class="form-bar">
        <button class="primary" type="submit">${submit}</button>
        <a class="button" href="${cancelPath}">Cancel</a>
        <span class="muted">Shown within 10 seconds, and mailed to confirmed subscribers.</span>
      </p>
    </form>
  `
}

/** The member's zone and UTC come first. */
const zoneChoices = (own: string): Choice[] =>
  [...new Set([own, utc, ...zones])].map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') }))

const shortcuts = [15, 30, 60, 120, 240, 480, 1_440] as const

/** The usual durations, and the submitted one. */
const durationChoices = (typed: string | undefined): Choice[] => {
  const known = shortcuts.map((minutes) => ({ value: String(minutes), label: shortDuration(minutes * 60) }))
  const own = typed !== undefined && typed !== '' && known.every(({ value }) => value !== typed)
  return [
    { value: '', label: 'Until the end time' },
    ...known,
    ...(own ? [{ value: typed, label: typed }] : []),
  ]
}

/** The announcement as visitors will see it, with times in the chosen zone. */
const previewCard = (
  page: StatusPage,
  components: readonly Component[],
  shown: Pick<WindowForm, 'form' | 'ticked' | 'zone' | 'nowMs'> & {
    path: string
    window?: MaintenanceWindow
  },
): Html => {
  const { form, ticked, zone, nowMs, window } = shown
  const { title = window?.title, body = window?.body, startsAt, endsAt, durationMinutes } = form.typed
  const msOf = (typed: string | undefined, fallback: number): number =>
    typed === undefined || typed === '' ? fallback : Date.parse(instantOf(typed, zone))
  const fromMs = msOf(startsAt, window === undefined ? nowMs : Date.parse(window.startsAt))
  const minutes = Number(durationMinutes ?? '')
  const toMs =
    minutes > 0
      ? fromMs + minutes * 60_000
      : msOf(endsAt, window === undefined ? Number.NaN : Date.parse(window.endsAt))
  const names = components.filter(({ id }) => ticked.has(id)).map(({ displayName }) => displayName)
  return card(
    {
      id: 'preview',
      title: 'Preview',
      actions: html`<button
        type="submit"
        name="act"
        value="preview"
        formaction="${shown.path}#preview"
        formnovalidate
        data-inplace
      >
        Update preview
      </button>`,
    },
    html`<p>
        <strong><bdi>${title === undefined || title === '' ? 'Title' : title}</bdi></strong>
        ${tag(maintenanceWords[fromMs > nowMs ? 'scheduled' : 'active'])}
      </p>
      <p class="muted">
        ${textOf(fromMs, zone)} to ${textOf(toMs, zone)}, ${zone.replaceAll('_', ' ')} ·
        <bdi>${names.length === 0 ? 'whole page' : names.join(', ')}</bdi>
      </p>
      <p class="prose"><bdi>${body ?? ''}</bdi></p>
      <p class="muted small-print">
        Visitors of <bdi>${page.name}</bdi> see times in their own zone. Checks continue; alerts are held
        until the end.
      </p>`,
  )
}

/** A time that cannot be displayed yet is blank. */
const textOf = (ms: number, zone: string): string => (Math.abs(ms) <= 8.64e15 ? zonedText(ms, zone) : '…')

type Sent = z.input<typeof CreateMaintenanceInput>

/** The request of a submitted form, without empty fields. The API validates it. */
export const readWindow = (
  typed: Typed,
  { statusPageId, componentIds }: { statusPageId: string; componentIds: readonly string[] },
): Sent => {
  const zone = zoneOr(typed['zone'])
  const startsAt = orNull(typed['startsAt'])
  const endsAt = orNull(typed['endsAt'])
  const minutes = orNull(typed['durationMinutes'])?.trim() ?? null
  return {
    statusPageId,
    title: typed['title'] ?? '',
    body: typed['body'] ?? '',
    note: orNull(typed['note']),
    ...(startsAt === null ? {} : { startsAt: instantOf(startsAt, zone) }),
    ...(endsAt === null ? {} : { endsAt: instantOf(endsAt, zone) }),
    ...(minutes === null ? {} : { durationMinutes: numberOf(minutes) }),
    ...(componentIds.length === 0 ? {} : { componentIds: [...componentIds] }),
  }
}

/**
 * The request of a form for an existing window: a duration replaces the previous end, and no ticked component
 * means the whole page.
 */
export const readChange = (
  typed: Typed,
  asked: { endsAt: string; componentIds: readonly string[] },
): z.input<typeof UpdateMaintenanceInput> => {
  const { statusPageId: _page, ...read } = readWindow(typed, { ...asked, statusPageId: '' })
  const { endsAt, ...others } = read
  const isUntouched = typed['endsAt'] === typedOfInstant(Date.parse(asked.endsAt), zoneOr(typed['zone']))
  const end = endsAt === undefined || (isUntouched && read.durationMinutes !== undefined) ? {} : { endsAt }
  return { ...others, ...end, componentIds: [...asked.componentIds] }
}

/** An invalid number is sent as text: JSON has no NaN, and the API reports the problem. */
const numberOf = (text: string): number =>
  /^\d{1,9}$/.test(text) ? Number(text) : (text as unknown as number)
