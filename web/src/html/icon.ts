import { light } from './palette.ts'

const { ground, text } = light.action

/**
 * The site's sign, an SVG: four places and what is between them. It brings its own ground, so that it
 * is seen on the tabs of any browser. `favicon.ico` beside `http/assets.ts` is the same in 32 pixels.
 */
export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="${ground}"/>
<path d="M16 7 25 23H7zM16 7v11M25 23l-9-5-9 5" fill="none" stroke="${text}" stroke-width="1.75"/>
<g fill="${text}"><circle cx="16" cy="7" r="3"/><circle cx="25" cy="23" r="3"/><circle cx="7" cy="23" r="3"/><circle cx="16" cy="18" r="3"/></g>
</svg>
`
