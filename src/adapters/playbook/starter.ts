const playbook = `# What the service answers, and how. Check it with: orchestration-service playbook check playbook.yaml
# All members: docs/playbook.md in the folder of the package orchestration-service.

company:
  name: My Company
  signature: The team of My Company
  contact: { email: service@example.com }
  languages: [en]               # the first one is the default; add de, fr, … with texts for each reply

mode: reply                     # \`draft\`: no reply is sent, each message goes to a person

articles: ./articles            # *.md with front matter: title, intents

entities:
  # A regular expression. The first match in a message counts.
  - { name: booking_number, pattern: '\\bBK-[0-9]{6}\\b', examples: [BK-123456] }

intents:
  # Answered with a text. With \`tool\` it would be looked up: see docs/playbook.md there.
  - name: booking_change
    description: Wants to move or change a booking.
    examples: ['Can I move my booking to Friday?', 'please change BK-204711 to two persons']
    required:
      - entity: booking_number
        question: { en: 'Please send us your booking number. It begins with BK.' }
    replies:
      en: |-
        Thank you for your message about your booking {{ entities.booking_number }}.

        You can change it until the day before at example.com/bookings, or write to {{ company.contact.email }}.

  # Answered from the articles that name it.
  - name: opening_hours
    description: Asks when we are open.
    examples: ['When are you open on Sunday?', 'are you closed on holidays']
    articles: true
    replies:
      en: |-
        Thank you for your question.

        {{ articles[0].title }}: {{ articles[0].text }}

# Legal threats, injuries and other concerns always go to a person. Add words of your trade here:
# concerns:
#   injury: { phrases: ['fell off the boat'] }
`;

const article = `---
title: Opening hours
intents: [opening_hours]
keywords: open close today sunday holiday
---
We are open Monday to Friday from 9:00 to 17:00. On public holidays we are closed.
`;

/** The files of a small playbook to begin with, by their paths in its folder. */
export const starterFiles: ReadonlyMap<string, string> = new Map([
  ['playbook.yaml', playbook],
  ['articles/opening-hours.md', article],
]);
