import { acceptedBy } from '@probe-mesh/runtime/headers'

/**
 * The text formats of Prometheus. Our own writer and not that of prom-client: an account may have 200,000 series, which
 * are written in parts, and never kept one by one.
 */
export type MetricFormat = 'text' | 'openmetrics'

export const contentTypes: Readonly<Record<MetricFormat, string>> = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
}

/** A gauge, and its lines for one subject. */
export type Family<Subject> = {
  name: string
  help: string
  samples: (subject: Subject) => readonly Sample[]
}

/** A series: labels as `labelText` writes them, and a value. */
export type Sample = { labels: string; value: number }

/** Subjects in one part of the text. */
const subjectsPerPart = 50

/** The text of families, in parts, which is the same in both formats. */
export function* metricText<Subject>(
  families: readonly Family<Subject>[],
  subjects: readonly Subject[],
): Generator<string> {
  for (const { name, help, samples } of families) {
    yield `# HELP ${name} ${help}\n# TYPE ${name} gauge\n`
    for (let at = 0; at < subjects.length; at += subjectsPerPart) {
      let part = ''
      for (const subject of subjects.slice(at, at + subjectsPerPart)) {
        for (const { labels, value } of samples(subject)) part += `${name}{${labels}} ${value}\n`
      }
      yield part
    }
  }
}

/** The last line. OpenMetrics is not whole without it; in the other format it is a comment. */
export const endOfText = '# EOF\n'

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' }

/** Labels between the braces of a series. */
export const labelText = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replace(/[\\"\n]/g, (found) => escapes[found] ?? found)}"`)
    .join(',')

/** The labels of a text that `labelText` wrote. */
export const readLabels = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/,?(\w+)="((?:\\.|[^\\"])*)"/gsy)].map(([, name = '', value = '']) => [
      name,
      value.replace(/\\(.)/gs, (_, character: string) => (character === 'n' ? '\n' : character)),
    ]),
  )

/**
 * The format that a client prefers (RFC 9110, 12.5.1): OpenMetrics if its weight is that of text or more, else text,
 * also for a client that accepts neither.
 */
export const formatFor = (accept: string | undefined): MetricFormat => {
  const weights: Record<MetricFormat, number> = { text: 0, openmetrics: 0 }
  for (const { name, parameters, weight } of acceptedBy(accept)) {
    const format = formats[name]
    if (format === undefined) continue
    if (format === 'openmetrics' && (parameters.get('version') ?? '1.0.0') !== '1.0.0') continue
    weights[format] = Math.max(weights[format], weight)
  }
  return weights.openmetrics > 0 && weights.openmetrics >= weights.text ? 'openmetrics' : 'text'
}

const formats: Readonly<Record<string, MetricFormat>> = {
  'application/openmetrics-text': 'openmetrics',
  'text/plain': 'text',
}
