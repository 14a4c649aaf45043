import { expect, test } from 'vitest'
import { renderMail } from './mail-template.js'

const content = {
  culture: 'en',
  productName: 'Keel <Freight>',
  title: 'Reset "it" & go',
  paragraphs: ['Hello <script>alert(1)</script>,\nhow are you?'],
  action: { label: 'Reset', url: "https://app.example/reset?userId=1&resetToken=a'b" },
  footer: 'Bye',
}

test('what is filled into the HTML is escaped, in texts and in attributes', () => {
  const { html } = renderMail(content)
  expect(html).not.toContain('<script')
  expect(html).toContain('Hello &lt;script&gt;alert(1)&lt;/script&gt;,<br>how are you?')
  expect(html).toContain('<title>Reset &quot;it&quot; &amp; go</title>')
  expect(html).toContain('href="https://app.example/reset?userId=1&amp;resetToken=a&#39;b"')
  expect(html).toContain('Keel &lt;Freight&gt;')
})

test('the text says the same in plain words', () => {
  expect(renderMail(content).text).toBe(
    `Reset "it" & go\n\nHello <script>alert(1)</script>,\nhow are you?\n\nReset:\nhttps://app.example/reset?userId=1&resetToken=a'b\n\nBye\n\n-- \nKeel <Freight>\n`,
  )
})

test('a code stands on a line of its own', () => {
  const { action: _, ...rest } = content
  expect(renderMail({ ...rest, code: '123456' }).text).toContain('\n\n    123456\n\n')
})
