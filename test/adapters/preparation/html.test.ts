import { describe, expect, test } from 'vitest';
import { prepared } from './prepare-message.ts';

describe('HTML', () => {
  test('becomes text with its entities decoded and without scripts and styles', () => {
    const html =
      '<html><style>p{}</style><script>x()</script><p>Salt &amp; pepper<br>d&#233;j&agrave; vu</p></html>';
    expect(prepared(html).text).toBe('Salt & pepper\ndéjà vu');
  });

  test('of Gmail has its quote set apart', () => {
    const html =
      '<div dir="ltr">The blue one.</div><div class="gmail_quote"><div class="gmail_attr">On Tue, 4 Feb 2025 at 09:12, ' +
      'Birch &lt;<a href="mailto:c@birch.test">c@birch.test</a>&gt; wrote:<br></div><blockquote>Which one?</blockquote></div>';
    const { text, setApart } = prepared(html);
    expect([text, setApart.map(({ kind }) => kind)]).toEqual(['The blue one.', ['quote']]);
  });

  test('of Outlook has its quote set apart', () => {
    const html =
      '<html><body><p>The blue one.</p><hr><div id="divRplyFwdMsg"><b>From:</b> Birch &lt;c@birch.test&gt;<br>' +
      '<b>Sent:</b> Tuesday<br><b>Subject:</b> Color</div><p>Which one?</p></body></html>';
    const { text, setApart } = prepared(html);
    expect([text, setApart.map(({ kind }) => kind)]).toEqual(['The blue one.', ['quote']]);
  });

  test('keeps answers between quoted parts', () => {
    const html = '<div><blockquote>Size?</blockquote>Nine.<blockquote>Color?</blockquote>Blue.</div>';
    expect(prepared(html).text).toBe('Nine.\nBlue.');
  });

  test('keeps emoji that are sent as images', () => {
    expect(prepared('<div><img alt="👍" src="a.png"></div>')).toMatchObject({ text: '👍', automatic: false });
  });

  test('separates the cells of a table', () => {
    expect(prepared('<table><tr><td>Lamp</td><td>2</td></tr></table>').text).toBe('Lamp 2');
  });

  test.each(['&nbsp;&nbsp;<br><br>', '<div><br></div>', '<p>&nbsp;</p>'])(
    'without text is empty: %s',
    (html) => {
      expect(prepared(html)).toMatchObject({ text: '', automatic: 'empty' });
    },
  );

  test.each([
    'how do I use <div> in the template',
    'is <b> or <strong> better for the newsletter?',
    'I typed <br> and it shows <br> in the mail',
    'price < 5 & size > 3?',
    'my text<br> shows a <br> tag',
    'how do I write &amp; in the title',
    'mail me at <kim@oak.test>',
    '<3 your shop',
  ])('is not seen in %s', (message) => {
    expect(prepared(message).text).toBe(message);
  });

  test('nested deeper than any mail loses no text', () => {
    expect(prepared(`${'<div>'.repeat(5000)}lamp${'</div>'.repeat(200)}`).text).toBe('lamp');
  });
});
