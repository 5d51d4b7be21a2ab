import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { light } from '../palette.ts'

const { text } = light.action

/**
 * The mark of Probe Mesh, an SVG: four places and the paths between them. It has a ground of its own, so
 * that it is seen on the tabs of all browsers. `http/favicon.ico` is the same in 32 pixels.
 */
const markOn = (ground: string): Html =>
  html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="7" fill="${ground}" />
    <path d="M16 7 25 23H7zM16 7v11M25 23l-9-5-9 5" fill="none" stroke="${text}" stroke-width="1.75" />
    <g fill="${text}">
      <circle cx="16" cy="7" r="3" />
      <circle cx="25" cy="23" r="3" />
      <circle cx="7" cy="23" r="3" />
      <circle cx="16" cy="18" r="3" />
    </g>
  </svg>`

export const mark: Html = markOn(light.action.ground)

/** The icon of a page that says that something is down. */
export const badMark: Html = markOn(light.bad.mark)

/** Mark and name, as a link. */
export const brandLink = (href: string): Html => html`<a class="brand" href="${href}">${mark}Probe Mesh</a>`
