import type { Telemetry, TelemetryPush } from '@probe-mesh/contracts/telemetry/telemetry'
import { html, type Html, type Piece } from '@probe-mesh/runtime/html'
import { card } from '../../html/components/card.ts'
import {
  checkField,
  longTextField,
  problemSummary,
  selectField,
  textField,
  type FormState,
  type Typed,
} from '../../html/components/form.ts'
import { rowsTable } from '../../html/components/rows.ts'
import { tag } from '../../html/components/tag.ts'
import { exactTime, time } from '../../html/measures.ts'

export const telemetryPath = '/dashboard/opentelemetry'

const names = ['endpoint', 'encoding', 'headers', 'metrics', 'traces']

/** The API's input. Without headers, those that are stored stay, unless they are to be deleted. */
export const telemetryBody = (typed: Typed): unknown => {
  const headers = typed['headers']?.trim() ?? ''
  return {
    endpoint: typed['endpoint']?.trim() ?? '',
    ...(typed['encoding'] === undefined ? {} : { encoding: typed['encoding'] }),
    ...(headers !== '' ? { headers } : typed['withoutHeaders'] !== undefined ? { headers: '' } : {}),
    metrics: typed['metrics'] !== undefined,
    traces: typed['traces'] !== undefined,
  }
}

/** The settings of the push, and how it goes. */
export const telemetryPage = (telemetry: Telemetry, form: FormState): Html => html`
  ${telemetry.endpoint !== null && pushCard(telemetry)} ${problemSummary(form, names)}
  <form method="post" action="${telemetryPath}">
    ${card(
      {
        id: 'settings',
        title: 'Endpoint',
        about:
          'An OTLP/HTTP receiver, such as an OpenTelemetry Collector. What it gets is compressed with gzip.',
      },
      html`<div class="fields">
        ${textField(form, {
          name: 'endpoint',
          label: 'Base URL',
          hint: 'Without /v1/metrics and /v1/traces. Only https, except for addresses that the operator opened.',
          fallback: telemetry.endpoint ?? '',
          isRequired: true,
        })}
        ${selectField(form, {
          name: 'encoding',
          label: 'Encoding',
          hint: 'Most receivers read both. Some vendors read protobuf only.',
          choices: [
            { value: 'json', label: 'JSON' },
            { value: 'protobuf', label: 'Protobuf' },
          ],
          fallback: telemetry.encoding,
        })}
        ${longTextField(form, {
          name: 'headers',
          label: 'Headers',
          rows: 3,
          hint: html`One <code>Name: value</code> a line. They are encrypted, sent to this URL only, and not
            shown again.${storedText(telemetry)}`,
        })}
        ${
          telemetry.headerNames.length > 0 &&
          checkField(form, { name: 'withoutHeaders', label: 'Delete the stored headers' })
        }
        ${checkField(form, {
          name: 'metrics',
          label: 'Push metrics',
          hint: html`Those of <code>GET /v1/metrics</code>, every 60 s.`,
          fallback: telemetry.metrics.enabled,
        })}
        ${checkField(form, {
          name: 'traces',
          label: 'Push traces',
          hint: 'Each run is a trace with its phases, at most two minutes after it.',
          fallback: telemetry.traces.enabled,
        })}
      </div>`,
    )}
    <p class="actions"><button class="primary" type="submit">Save</button></p>
  </form>
  ${
    telemetry.endpoint !== null &&
    html`<p class="actions">
      <a class="button danger" href="${telemetryPath}/delete" data-confirm>End the push</a>
    </p>`
  }
`

const storedText = ({ headerNames }: Telemetry): string =>
  headerNames.length === 0 ? '' : ` Stored: ${headerNames.join(', ')}. Leave this empty to keep them.`

type Row = { signal: string; unit: string; push: TelemetryPush }

const stateTag = ({ enabled, failures, lastSuccessAt, lastErrorAt }: TelemetryPush): Html => {
  if (!enabled) return tag({ tone: 'silent', text: 'Off' })
  if (failures > 0) return tag({ tone: 'bad', text: failures === 1 ? 'Failed' : `Failed ${failures} times` })
  if (lastSuccessAt === null) return tag({ tone: 'silent', text: 'Not pushed yet' })
  // one push was both: the receiver refused a part of it, or warned
  if (lastErrorAt === lastSuccessAt) return tag({ tone: 'uncertain', text: 'Working, see the last error' })
  return tag({ tone: 'good', text: 'Working' })
}

const successText = ({ lastSuccessAt }: TelemetryPush): Piece =>
  lastSuccessAt === null ? 'no success yet' : exactTime(lastSuccessAt)

const errorText = ({ lastError, lastErrorAt }: TelemetryPush): Piece =>
  lastError === null ? 'no error' : html`${lastError} (${time(lastErrorAt)})`

const pushCard = ({ metrics, traces }: Telemetry): Html =>
  card(
    {
      id: 'pushes',
      title: 'Pushes',
      about:
        'While the endpoint is busy or away, runs wait up to 30 minutes for it. Older ones are dropped. What it refuses is not sent again.',
    },
    rowsTable<Row>(
      'Pushes',
      [
        { heading: 'Signal', cell: ({ signal }) => signal },
        { heading: 'State', cell: ({ push }) => stateTag(push) },
        { heading: 'Last success', cell: ({ push }) => successText(push) },
        { heading: 'Last error', cell: ({ push }) => errorText(push) },
        { heading: 'Sent', cell: ({ push, unit }) => `${push.sent} ${unit}` },
        { heading: 'Refused', cell: ({ push }) => `${push.refused} refused` },
        { heading: 'Dropped', cell: ({ push }) => `${push.dropped} dropped` },
      ],
      [
        { signal: 'Metrics', unit: 'series', push: metrics },
        { signal: 'Traces', unit: 'runs', push: traces },
      ],
    ),
  )
