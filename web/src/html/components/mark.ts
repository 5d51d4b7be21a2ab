import { html, type Html } from '@probe-mesh/runtime/html'
import { light } from './palette.ts'

const { ground, text } = light.action

const markWith = (dot: string | null): Html =>
  html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="7" fill="${ground}" />
    <path d="M16 7 25 23H7zM16 7v11M25 23l-9-5-9 5" fill="none" stroke="${text}" stroke-width="1.75" />
    <g fill="${text}">
      <circle cx="16" cy="7" r="3" />
      <circle cx="25" cy="23" r="3" />
      <circle cx="7" cy="23" r="3" />
      <circle cx="16" cy="18" r="3" />
    </g>
    ${dot !== null && html`<circle cx="24" cy="24" r="7" fill="${dot}" stroke="${text}" stroke-width="2" />`}
  </svg>`

/**
 * The Probe Mesh mark, an SVG: four places and the paths between them. It has a background, so it is visible
 * on the tabs of all browsers. `http/favicon.ico` is the same in 32 pixels.
 */
export const mark: Html = markWith(null)

/** The mark with a dot in its corner that shows the state of the account on the tab. */
export const stateMarks = {
  good: markWith(light.good.mark),
  uncertain: markWith(light.uncertain.mark),
  bad: markWith(light.bad.mark),
} as const satisfies Record<MarkState, Html>
export type MarkState = 'good' | 'uncertain' | 'bad'

/** Mark and name, as a link. */
export const brandLink = (href: string): Html => html`<a class="brand" href="${href}">${mark}Probe Mesh</a>`
