"""Parameters for NLTK's Punkt: abbreviations and words that begin sentences in scientific English.

NLTK includes the algorithm (Kiss & Strunk 2006) but not its parameters, which must be downloaded; these need no download. They are
written for abstracts. NLTK's own parameters, learnt from newspapers, contain neither ``e.g.`` nor ``et al.``;
docs/howto/readability.md compares them.
"""

from __future__ import annotations

from nltk.tokenize.punkt import PunktParameters

# In lower case, without the final full stop. Single letters are not listed: Punkt treats them as initials.
_ABBREVIATIONS = """
a.m adj al alg approx apps appx assoc aug avg c.f ca cf ch chap chs co conf corp cp d.c dec def dept diff dr e.g ed eds
eg eng engl eq eqn eqns eqs esp et.al etc ex excl feb fig figs ft ga gen gov hon i.e i.i.d ibid ie iid illus inc incl
inst intl jan jr lem ltd m.sc max mfg min misc mr mrs ms mss n.b nat nb no nos nov num oct op orig p.m ph.d phd pl pp
pres proc prof prov pt publ pvt qtd ref refs rep resp rev s.t sc sci sec secs sect sects sep sept ser soc spec sr st
subsec suppl symp tab tech temp thm thms thu tr trans tue u.k u.s u.s.a univ v.s var viz vol vols vs w.l.o.g w.r.t wlog
wrt yr yrs
"""
# Words that, if capitalised, mostly begin a sentence.
_STARTERS = """
a about after all also although an and another any are as at based because before besides between both but by can
compared computer consequently despite do does due during each even every experiments finally first firstly five for
four from furthermore given has have hence here how however i if in indeed instead is it its last lastly many more
moreover most much nevertheless next no nonetheless not note of often on once one only or other our over overall
previous previously recent recently results second secondly several should similarly simulation simulations since six so
some still such than that the their then there therefore these they third thirdly this those though three through thus
to together too two under unfortunately unlike until up using usually we what when where whereas whether which while who
whose why will with within without yet you your
"""
_SEEN_LOWER = 0b11_0000  # Punkt's flags: seen in lower case, at the start of a sentence and within one


def scientific_parameters() -> PunktParameters:
    """Return the parameters as a Punkt object."""
    parameters = PunktParameters()
    parameters.abbrev_types = set(_ABBREVIATIONS.split())
    parameters.sent_starters = set(_STARTERS.split())
    for word in parameters.sent_starters:
        parameters.ortho_context[word] = _SEEN_LOWER
    return parameters
