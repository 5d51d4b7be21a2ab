import { randomBytes } from 'node:crypto'
import { scrubCorpus } from '@probe-mesh/error-tracking/events/scrub/corpus'

/** A harmless text in each event, which proves that a searched place contains events. */
export const marker = 'a-harmless-marker-of-this-test'

/** A short number occurs by chance, so it is replaced by a longer one. */
const short = '48213'
const long = '482134077190355'
const longer = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll(short, long)) as T

export type Planted = { value: unknown; names: readonly string[] }

/** The values of the scrub corpus, with the additional secret names of the project. */
export const planted: readonly Planted[] = scrubCorpus.map(({ value, rules }) => ({
  value: longer(value),
  names: rules?.names ?? [],
}))

/** Texts that must not occur anywhere. */
export const plantedSecrets: readonly string[] = [
  ...new Set(scrubCorpus.flatMap(({ secrets }) => longer(secrets))),
]

/** An event with a value in every field, including fields that only handwritten events use. */
export const eventHolding = (value: unknown): Record<string, unknown> => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const frame = {
    filename: text,
    abs_path: text,
    function: text,
    module: text,
    package: text,
    lineno: 1,
    in_app: true,
    pre_context: [text],
    context_line: text,
    post_context: [text],
    vars: { held: value },
  }
  const thrown = { type: text, value: text, module: text, stacktrace: { frames: [frame] } }
  return {
    event_id: randomBytes(16).toString('hex'),
    platform: text,
    level: text,
    logger: text,
    server_name: text,
    dist: text,
    transaction: text,
    culprit: text,
    release: 'shop@1.0.0',
    environment: 'production',
    logentry: { message: text, formatted: text, params: [value] },
    exception: {
      values: [thrown, { ...thrown, mechanism: { type: 'generic', data: { held: value } } }],
    },
    threads: { values: [{ id: 1, name: text, stacktrace: { frames: [frame] } }] },
    fingerprint: [text],
    tags: { marker, held: text, [text.slice(0, 200)]: 'name' },
    user: { id: text, email: text, ip_address: text, [text]: value },
    request: {
      url: text,
      method: 'POST',
      query_string: text,
      data: value,
      cookies: [[text, text]],
      fragment: text,
      headers: [['X-Held', text], [text, 'y'], { name: 'X-Held', value: text }],
      env: { HELD: text, [text]: text },
    },
    breadcrumbs: {
      values: [{ type: 'http', category: text, message: text, data: { held: value } }],
    },
    contexts: { state: { held: value }, [text]: { type: text, [text]: value } },
    extra: { held: value, deep: [[{ held: value }]], [text]: 1 },
    modules: { [text]: text },
    sdk: { name: text, version: text, packages: [{ name: text, version: text }] },
    debug_meta: { images: [{ type: 'sourcemap', code_file: text }] },
    unknown_to_all: value,
  }
}
