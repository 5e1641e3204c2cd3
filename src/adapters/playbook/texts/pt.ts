import type { BuiltInTexts } from './built-in.ts';

/** The built-in texts in Portuguese. */
export const pt: BuiltInTexts = {
  texts: {
    greeting: 'Olá,',
    closing: 'Com os melhores cumprimentos,',
    offer: 'Se isto não responder à sua pergunta, responda a esta mensagem e diga-nos o que falta.',
    thanks: 'De nada. Obrigado por nos informar.',
    welcome: 'Obrigado pela sua mensagem. Por favor, diga-nos o que podemos fazer por si.',
    masked:
      'Por favor, não nos envie números de cartão, códigos de segurança ou palavras-passe. Ocultámos os que estavam na sua mensagem.',
    not_found:
      'Obrigado pela sua mensagem. Não encontramos o que indica. Por favor, verifique e escreva-nos novamente.',
  },
  handovers: {
    handover: 'Obrigado pela sua mensagem. Não podemos responder-lhe automaticamente.',
    unresolved:
      'Obrigado por nos escrever novamente. Lamentamos que a nossa última resposta não tenha ajudado.',
    upset: 'Obrigado por nos contar. Lamentamos o que aconteceu.',
    language: 'Obrigado pela sua mensagem. Não podemos responder automaticamente no seu idioma.',
    human: 'Obrigado pela sua mensagem. Gostaria de falar com uma pessoa.',
    failure: 'Obrigado pela sua mensagem. Não foi possível processá-la automaticamente.',
  },
  concerns: {
    self_harm:
      'Obrigado por nos contar isto. Parece estar a passar por algo muito difícil, e não tem de o enfrentar sem ajuda. Se puder estar em perigo, ligue já para o número de emergência: 112 na Europa. Em findahelpline.com encontra uma linha de apoio no seu país.',
    injury:
      'Lamentamos muito ler isto e esperamos que todos estejam em segurança. Se alguém estiver ferido ou se sentir mal, procure primeiro ajuda médica; em caso de emergência, ligue para o número de emergência: 112 na Europa. Mantenha-se longe do que possa ter sido a causa.',
    threat:
      'Recebemos a sua mensagem. Se alguém estiver em perigo, ligue para o número de emergência: 112 na Europa.',
    fraud:
      'Obrigado por nos avisar; levamos isto a sério. Se for possível que tenha sido retirado dinheiro sem o seu consentimento, peça ao seu banco que bloqueie o cartão ou o pagamento e altere a palavra-passe da sua conta. Não nos envie palavras-passe nem números de cartão completos, e não siga ligações de mensagens duvidosas.',
    legal: 'Obrigado pela sua mensagem. Levamo-la a sério. Não lhe respondemos automaticamente.',
    privacy:
      'Obrigado pela sua mensagem sobre dados pessoais. Não lhe respondemos automaticamente. Poderá ser necessário confirmar primeiro a sua identidade.',
    discrimination:
      'Obrigado por nos contar. Lamentamos que isto tenha acontecido. Ninguém deve ser tratado assim.',
    vulnerable:
      'Obrigado por nos escrever sobre isto. Não queremos responder com um texto automático. Se alguém estiver em perigo, ligue para o número de emergência: 112 na Europa.',
    press: 'Obrigado pela sua mensagem. Não respondemos automaticamente a este tipo de questões.',
  },
  promises: {
    answer: 'Uma pessoa da nossa equipa vai ler a sua mensagem e responder-lhe.',
    urgent: 'A sua mensagem está marcada como urgente: uma pessoa da nossa equipa vai lê-la e responder-lhe.',
    responsible:
      'Uma pessoa da nossa equipa responsável por estes assuntos vai ler a sua mensagem e responder-lhe.',
    person: 'Uma pessoa vai ler a sua mensagem e responder-lhe.',
  },
  instead: {
    contact: 'Por favor, contacte-nos diretamente: {contact}',
    elsewhere: 'Por favor, contacte-nos por outro meio.',
    crisis:
      'Esta resposta vem de uma máquina, e é possível que ninguém leia a sua mensagem em breve. Não espere por nós: fale com alguém agora.',
  },
};
