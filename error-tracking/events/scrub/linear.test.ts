import { expect, test } from 'vitest'
import { scrubText } from './scrub-text.ts'

const units = 250_000
const rules = { extraNames: new Set<string>(), keepAddresses: false }

/**
 * In these texts a pattern or a scanner starts at every position. Quadratic time would take minutes and
 * exceed the test's timeout; linear time stays below a second.
 */
test.each(
  `a a= a: a=a: password= password=" password:\\ password=[ :// x://a:b //a@ @ a@ a@b. eyJ eyJaaaaaa.
  -----BEGIN -----BEGIN\u00a0PRIVATE\u00a0KEY----- DE 4111- 1 1. f: :: %41 %2541 I < <a <password> -- --password\u00a0
  name="a"\u00a0 password\u00a0" { [" \\" &quot; &quot;: sk- Bearer\u00a0a cookie:\u00a0 token:\u00a0 12345678:AA [removed:\u00a0token]
  hooks.slack.com/services/ /api/webhooks/12345/ é YWJj http://a:b@ a:b:c:d:`
    .trim()
    .split(/[ \n]+/)
    .map((part) => part.replaceAll('\u00a0', ' ')),
)('scrubs a long text of %j in linear time', (part) => {
  const text = part.repeat(Math.ceil(units / part.length)).slice(0, units)
  const scrubbed = scrubText(text, rules)
  expect(scrubText(scrubbed, rules)).toBe(scrubbed)
})
