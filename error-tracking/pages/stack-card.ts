import type { ErrorFrame, ErrorOccurrence } from '../contracts/error-tracking.ts'
import { card } from '@probe-mesh/web/src/html/components/card'
import { attribute, flag, html, type Html, type Piece } from '@probe-mesh/runtime/html'
import { isRecord, listIn, scrubbed, scrubbedValue, textIn } from './scrubbed.ts'
import { counted } from './counted.ts'

/** What the context of an event has of one frame, by its place in the stack. */
type FramePart = { source: unknown; variables: unknown; built: string | null; unmapped: string | null }

/** Parts of a context that are shown with their frames: each an entry with the number of its frame. */
const framePart = (context: ErrorOccurrence['context'], frame: number): FramePart => {
  const entryIn = (list: readonly unknown[]): unknown =>
    list.find((each) => textIn(each, 'frame') === String(frame))
  const { sourceMaps } = context
  const minified = entryIn(listIn(sourceMaps, 'minified'))
  const unresolved = entryIn(listIn(sourceMaps, 'unresolved'))
  const variables = entryIn(listIn(context, 'variables'))
  return {
    source: entryIn(listIn(context, 'source')),
    variables: isRecord(variables) ? (variables['variables'] ?? variables) : null,
    built:
      minified === undefined
        ? null
        : ['file', 'line', 'column']
            .map((name) => textIn(minified, name))
            .filter((part) => part !== '')
            .join(':'),
    unmapped: unresolved === undefined ? null : textIn(unresolved, 'why'),
  }
}

/** A run of frames: of the application each by itself, of libraries together. */
export type FrameRun = { isFolded: boolean; frames: readonly { frame: ErrorFrame; at: number }[] }

/**
 * The stack in its order, with library frames folded between those of the application. A stack without a frame of the
 * application is not folded.
 */
export const foldStack = (frames: readonly ErrorFrame[], areAllShown: boolean): FrameRun[] => {
  const runs: { isFolded: boolean; frames: { frame: ErrorFrame; at: number }[] }[] = []
  const canFold = !areAllShown && frames.some(({ inApp }) => inApp)
  for (const [at, frame] of frames.entries()) {
    const isFolded = canFold && !frame.inApp
    const last = runs.at(-1)
    if (last?.isFolded === isFolded) last.frames.push({ frame, at })
    else runs.push({ isFolded, frames: [{ frame, at }] })
  }
  return runs
}

/**
 * The stack of an event, the throwing frame first, each frame with its source and variables.
 * @param path of the page without `frames`
 */
export const stackCard = (
  { frames, context }: Pick<ErrorOccurrence, 'frames' | 'context'>,
  { areAllFrames, path }: { areAllFrames: boolean; path: (frames: 'all' | null) => string },
): Html => {
  const inApp = frames.filter((frame) => frame.inApp).length
  const canFold = inApp > 0 && inApp < frames.length
  const firstOpen = Math.max(
    0,
    frames.findIndex((frame) => frame.inApp),
  )
  return card(
    {
      id: 'stack',
      title: 'Stack trace',
      about: 'throwing frame first',
      actions: canFold
        ? frameFilter([
            { text: `In app (${inApp})`, path: path(null), isCurrent: !areAllFrames },
            { text: `All (${frames.length})`, path: path('all'), isCurrent: areAllFrames },
          ])
        : null,
    },
    frames.length === 0
      ? html`<p class="muted">The event has no stack.</p>`
      : html`<ol class="frames">
          ${foldStack(frames, areAllFrames).map((run) =>
            run.isFolded
              ? html`<li class="folded">
                  <details>
                    <summary>${counted(run.frames.length, 'library frame')}</summary>
                    <ol class="frames">
                      ${run.frames.map((each) => frameItem(each, context, false))}
                    </ol>
                  </details>
                </li>`
              : run.frames.map((each) => frameItem(each, context, each.at === firstOpen)),
          )}
        </ol>`,
  )
}

const frameFilter = (entries: readonly { text: string; path: string; isCurrent: boolean }[]): Html =>
  html`<nav aria-label="Frames">
    <ul class="ranges">
      ${entries.map(
        ({ text, path, isCurrent }) =>
          html`<li>
            <a href="${path}" data-swap="stack" ${attribute('aria-current', isCurrent ? 'true' : null)}
              >${text}</a
            >
          </li>`,
      )}
    </ul>
  </nav>`

const frameItem = (
  { frame, at }: { frame: ErrorFrame; at: number },
  context: ErrorOccurrence['context'],
  isOpen: boolean,
): Html => {
  const part = framePart(context, at)
  const details: Piece[] = [
    sourceOf(frame, part.source),
    variablesOf(part.variables),
    part.built !== null &&
      html`<p class="muted small-print">Mapped from <code>${scrubbed(part.built)}</code></p>`,
    part.unmapped !== null && html`<p class="muted small-print">Not mapped: ${scrubbed(part.unmapped)}</p>`,
  ].filter((each) => each !== null && each !== false)
  const line = html`<span class="frame-line${frame.inApp ? '' : ' muted'}"
    ><code>${frame.function === null ? '(anonymous)' : scrubbed(frame.function)}</code>
    <span class="frame-place"><code>${scrubbed(placeOf(frame))}</code></span></span
  >`
  if (details.length === 0) return html`<li>${line}</li>`
  return html`<li>
    <details${flag('open', isOpen)}>
      <summary>${line}</summary>
      ${details}
    </details>
  </li>`
}

const placeOf = ({ file, line, column }: ErrorFrame): string =>
  [file ?? 'unknown file', line, line === null ? null : column].filter((part) => part !== null).join(':')

/** The line of a frame, marked, with the lines around it. */
const sourceOf = ({ line }: ErrorFrame, entry: unknown): Html | null => {
  if (!isRecord(entry) || typeof entry['source'] !== 'string') return null
  const texts = (key: string) => listIn(entry, key).filter((each) => typeof each === 'string')
  const [before, after] = [texts('before'), texts('after')]
  const first = line === null ? null : line - before.length
  return html`<ol class="source" ${attribute('start', first !== null && first > 1 ? first : null)}>
    ${before.map((text) => html`<li><code>${scrubbed(text)}</code></li>`)}
    <li class="at" aria-current="true"><code>${scrubbed(entry['source'])}</code></li>
    ${after.map((text) => html`<li><code>${scrubbed(text)}</code></li>`)}
  </ol>`
}

const variablesOf = (variables: unknown): Html | null => {
  if (!isRecord(variables) || Object.keys(variables).length === 0) return null
  return html`<details class="variables">
    <summary>${counted(Object.keys(variables).length, 'variable')}</summary>
    <dl>
      ${Object.entries(variables).map(
        ([name, value]) =>
          html`<dt><code>${scrubbed(name)}</code></dt>
            <dd>${scrubbedValue(value)}</dd>`,
      )}
    </dl>
  </details>`
}
