/**
 * Texts from people and targets that try to become markup in a page, a feed or a mail. Everything that they
 * would create has `zq` in its name, so that a test finds it: an element, an attribute, a link, a header, a
 * field.
 */
export const lines: readonly string[] = [
  // elements
  '<script>zq()</script>',
  '"><script src=//zq.example/x.js></script>',
  `'><img src=zq onerror=zq()>`,
  '<svg/onload=zq()>',
  '<svg><animate onbegin=zq() attributeName=x>',
  '<iframe srcdoc="<script>zq()</script>">',
  '<base href=//zq.example/>',
  '<meta http-equiv=refresh content="0;url=//zq.example">',
  '<form action=//zq.example><input name=zq>',
  '<math><mi//xlink:href="data:x,<script>zq()</script>">',
  '<a href="javascript:zq()">zq</a>',
  '<style>@import"//zq.example"</style>',
  // ends of the surrounding element
  '</title><zq-made>',
  '</textarea><zq-made>',
  '</style><zq-made>',
  '</script><zq-made>',
  '</bdi></td></main><zq-made>',
  '<!--><zq-made>',
  '--><zq-made>',
  '<![CDATA[<zq-made>]]>',
  ']]><zq-made/>',
  '<?zq?><!DOCTYPE zq [<!ENTITY zq SYSTEM "file:///zq">]>&zq;',
  // attributes
  '" onmouseover="zq()" zq="',
  "' onfocus='zq()' autofocus zq='",
  '` onclick=`zq()` zq=`',
  ' onpointerenter=zq() zq',
  '&quot; onload=&quot;zq()',
  // addresses
  'javascript:zq()',
  'JaVa&Tab;script&colon;zq()',
  'data:text/html,<script>zq()</script>',
  '//zq.example/',
  // entities, which must be shown literally
  '&lt;zq-made&gt; &#60;zq&#62; &amp;lt;',
  // templates
  "{{constructor.constructor('zq()')()}} {{{zq}}}",
  '${zq()} <%= zq %> #{zq} %{zq} {% zq %}',
  "$& $1 $$ $` $' zq",
  // JSON and scripts
  '","zq":true,"__proto__":{"zq":1},"',
  String.raw`\";zq();// \u003cscript\u003ezq()`,
  // Markdown
  '[zq](javascript:zq()) [zq](https://zq.example)',
  '![zq](https://zq.example/x.png)',
  '<https://zq.example/auto> https://zq.example/bare',
  '[zq]: https://zq.example "zq"',
  '# zq | *zq* **zq** __zq__ `zq` ~~zq~~ ```zq',
  // spreadsheets
  '=HYPERLINK("https://zq.example","zq")',
  "@SUM(1+1)|cmd|' /c zq'!A1",
  // calendars
  String.raw`zq\nEND:VEVENT;X-ZQ=1:zq,zq`,
  // characters that change direction, have no width, break lines in some programs, or look like others
  'zq\u202egnp.zq\u202c\u2066zq\u2069',
  'z\u200bq\ufeff\u00adzq',
  'zq\u2028zq\u2029zq',
  '\uff1cscript\uff1ezq()\uff1c/script\uff1e',
  'zq\ufffe\uffffzq\u0085zq',
]

/** Additional content of multi-line texts. */
export const paragraphs: readonly string[] = [
  ...lines,
  'zq\r\nSet-Cookie: zq=1\r\nX-Zq: zq\r\n\r\n<zq-made>',
  'zq\r\nEND:VCALENDAR\r\nBEGIN:VEVENT\r\nX-ZQ:zq',
  '    zq\n\n---\n- zq\n1. zq\n> zq\n\n<zq-made>\n\n</p>',
  'zq\u001b]8;;https://zq.example\u0007zq\u001b[2Jzq\u0008\u000b\u000czq',
  'java\tscript:zq()',
]

/** Forbidden in every text; the API refuses it. */
export const refused: readonly string[] = ['zq\u0000zq', 'zq\ud800zq', 'zq\udfff']
export const refusedLines: readonly string[] = [...refused, 'zq\r\nX-Zq: zq', 'zq\u001b[2J']

/** Joins all texts into as few as possible, each within the limit; a longer one is left out. */
export const packed = (texts: readonly string[], charactersMax: number): string[] => {
  const packs: string[] = []
  for (const text of texts) {
    if (text.length > charactersMax) continue
    const joined = `${packs.at(-1) ?? ''} ${text}`
    if (packs.length > 0 && joined.length <= charactersMax) packs[packs.length - 1] = joined
    else packs.push(text)
  }
  return packs
}
