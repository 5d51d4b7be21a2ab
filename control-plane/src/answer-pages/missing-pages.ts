import { framePage } from './frame.ts'
import { markup, nothing } from './markup.ts'

/** A page that says no and why. @param details a sentence each */
export const refusalPage = (
  heading: string,
  text: string,
  details: readonly string[] = [],
): string =>
  framePage({
    title: heading,
    description: text,
    main: markup`<h1>${heading}</h1>
<p class="lead">${text}</p>
${
  details.length === 0
    ? nothing
    : markup`<ul>
${details.map((detail) => markup`<li>${detail}</li>`)}
</ul>`
}
<p><a href="/services">Every service that we measure</a></p>`,
  })
