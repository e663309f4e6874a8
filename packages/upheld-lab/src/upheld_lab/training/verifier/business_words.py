"""What our grammar of users' documents is made of: people, acts, conditions, measures, events.

Most entries are two wordings of one thing, divided by `/`: a passage uses one and a claim the
other, so that true claims are paraphrases and not copies.
"""

# ruff: noqa: E501  (one entry of a list, or one form, is one line)

from __future__ import annotations

Pair = tuple[str, str]


def lines(text: str) -> tuple[str, ...]:
    """The lines that are not empty."""
    return tuple(line.strip() for line in text.strip().splitlines() if line.strip())


def pairs(text: str) -> tuple[Pair, ...]:
    """Two wordings to a line."""
    found = (tuple(part.strip() for part in line.split(" / ")) for line in lines(text))
    return tuple((one, two) for one, two in found)


ACTORS = pairs("""
drivers / people who drive
tenants / those who rent
members of staff / employees
visitors / guests
suppliers / firms that deliver to us
trainees / people in training
nurses / the nursing staff
reviewers / people who review
account administrators / administrators of an account
machine operators / people who operate machines
contractors / outside firms
parents / mothers and fathers
volunteers / unpaid helpers
part-time workers / people who work part-time
project leads / those who lead a project
field engineers / engineers in the field
treasurers / those who keep the books
lodge holders / people who hold a lodge
exhibitors / firms that exhibit
librarians / those who work as librarians
dealers / traders
card holders / people who hold a card
apprentices / those in an apprenticeship
shift leaders / those who lead a shift
claims handlers / people who handle claims
crew members / members of the crew
allotment holders / people with an allotment
auditors / those who audit
plot owners / owners of a plot
season ticket holders / people with a season ticket
""")
ACTS = pairs("""
carry five unused days of leave into spring / keep five days of leave that were not taken until spring
work from another country for two weeks / do their job abroad for a fortnight
use the loading bay overnight / make use of the bay for loading at night
bring a dog to the site / come to the site with a dog
sign for deliveries / confirm deliveries by signature
change the billing address online / alter the address on bills over the internet
export the audit log / take out a copy of the audit log
pay by direct debit / have the amount collected from their account
inspect the records in the archive / look at the archive's records
cancel a booking by telephone / call off a booking over the phone
park on the upper deck / leave a car on the upper deck
open the control cabinet / gain access to the control cabinet
claim the cost of a taxi / get money back for a taxi
order spare parts directly / buy spare parts without going through the office
record the meeting / make a recording of the meeting
share files with outsiders / give people outside access to files
reset the password of another user / give another user a new password
store solvents in the basement / keep solvents on the lowest floor
wear protective glasses in hall two / have eye protection on in the second hall
file a report within a week / hand in a report in at most seven days
take part in the survey / answer the survey
return the badge on the last day / give the badge back when they leave
book the small hall for private parties / hire the smaller hall for private events
hand over the keys to a neighbour / leave the keys with a neighbour
burn garden waste / set fire to waste from the garden
install software of their own / put their own programs on the computer
attend the safety briefing / be present at the briefing on safety
vote by letter / send in their vote by post
swap shifts among themselves / exchange shifts with each other
take photographs in the laboratory / use a camera in the lab
extend the loan once / have the loan prolonged one time
keep the equipment at home / store the equipment where they live
charge electric bicycles in the hallway / load the batteries of e-bikes in the corridor
publish the results early / make the results public ahead of time
enter the cold store alone / go into the cold store without company
subcontract the painting work / pass the painting on to another firm
see the salaries of colleagues / find out what colleagues earn
delete old tickets / remove tickets that are old
order meals in advance / ask for meals beforehand
use the lift during a drill / take the lift while a drill is on
feed the fish in the pond / give food to the fish in the pond
hang posters in the stairwell / put up posters in the stairwell
bring food into the reading room / take food into the reading room
choose their own dates / decide themselves on the dates
edit published pages / change pages that are already published
rotate the access keys / replace the access keys from time to time
invite guests to the ceremony / bring guests along to the ceremony
test the alarm on Mondays / try out the alarm on Mondays
heat with wood / use wood for heating
withdraw from the contract / get out of the contract
wash vehicles in the yard / clean vehicles in the yard
appeal against the decision / have the decision looked at again
leave the site during breaks / go off the site in their breaks
run tests in production / carry out tests on the live system
keep hens in the garden / have chickens in the garden
print in colour / make colour prints
""")
CONDITIONS = pairs("""
if the manager has agreed in writing / given the manager's written consent
if the fee has been paid / once the fee is settled
provided that a deposit was left / where a deposit has been left
if they have been trained / after training
if they have worked here for a year / with one year of service
as long as the alarm is switched off / while the alarm is off
if nobody else has booked the slot / where the slot is free
on condition that a form is completed / with a completed form
if the temperature is below 25 degrees / at temperatures under 25 degrees
provided that two people are present / in the presence of two people
if the insurance covers it / where insurance covers it
if the request arrives before noon / for requests made in the morning
provided that the customer asks for it / at the customer's wish
if a doctor has confirmed it / with a doctor's confirmation
as long as the river is below the mark / while the river has not reached the mark
if the order is worth more than 500 euros / for orders of over 500 euros
on condition that no complaint is open / in the absence of open complaints
if the board does not object / unless the board objects
provided that the licence is valid / with a valid licence
if the site is fenced in / on a fenced site
""")
EXCEPTIONS = pairs("""
except on public holidays / public holidays excluded
except in December / in every month but December
with the exception of the north wing / in all parts but the north wing
other than in an emergency / unless there is an emergency
except for those under eighteen / apart from minors
except when the fire alarm sounds / save when the fire alarm goes off
apart from the weeks of the audit / but not in the weeks of the audit
except on the ground floor / on all floors but the ground floor
unless a court orders otherwise / a court order aside
except during school holidays / but not in school holidays
with the exception of temporary contracts / temporary contracts aside
except where gas is stored / but not where gas is kept
apart from the first month / but not in the first month
except by night / but not by night
""")
REASONS = pairs("""
the roof had begun to leak / a leaking roof
two of the drivers were ill / the illness of two drivers
the supplier raised its prices / higher prices of the supplier
a sensor had failed / a failed sensor
the permit arrived late / the late arrival of the permit
too few people had signed up / a lack of people who signed up
the software was being updated / an update of the software
a pipe had burst / a burst pipe
the grant was refused / the refusal of the grant
demand was higher than expected / unexpectedly high demand
the wiring did not meet the standard / wiring below the standard
the bridge was closed to lorries / the closure of the bridge to lorries
the contract with the cleaner ended / the end of the contract with the cleaner
the ground was frozen / frozen ground
a member of the board had resigned / the resignation of a board member
the exchange rate changed / a change in the exchange rate
the test samples were mixed up / a mix-up of test samples
the road was being repaired / repairs to the road
the battery had overheated / an overheated battery
visitors complained about the noise / complaints of visitors about noise
""")
HAPPENED = pairs("""
The opening was put off / The opening took place later than planned
The workshop was moved to the annexe / The workshop had to go to the annexe
The summer budget was exceeded / More than the summer budget was spent
The night service was stopped / There was no longer a night service
The second order was cancelled / The second order was called off
The entrance fee went up / It became dearer to get in
The pump was replaced / A new pump was put in
The west car park was shut / The car park in the west was closed
The audit took a month longer / The audit needed an extra month
Deliveries were delayed / Deliveries came late
The choir changed its rehearsal day / The choir now rehearses on another day
The contest was held indoors / The contest took place inside
The old server was kept running / The old server was not switched off
The harvest began in August / Harvesting started in August
The archive was closed to readers / Readers could not use the archive
The course was repeated / The course was given a second time
Staff worked on Saturday / People had to work on Saturday
The invoice was sent twice / There were two copies of the invoice
""")
STEPS = pairs("""
the deposit is paid / payment of the deposit
the keys are handed over / handing over the keys
the contract is signed / signing the contract
the site is inspected / the inspection of the site
the cover is removed / removal of the cover
the power is switched off / switching off the power
the filter is rinsed / rinsing the filter
the report is published / publication of the report
the board votes / the vote of the board
the samples are weighed / weighing the samples
the database is backed up / the backup of the database
the update is installed / installation of the update
the parents are informed / informing the parents
the references are checked / the check of references
the tank is emptied / emptying the tank
the surface is sanded / sanding the surface
the goods are counted / the count of the goods
the invoice is issued / issuing the invoice
the interview takes place / the interview
the token is created / creation of the token
the seal is broken / breaking the seal
the guests are seated / seating the guests
""")
FIRST = ["Aylin", "Boris", "Carla", "Dragan", "Elif", "Femi", "Greta", "Hanna", "Ivo", "Jonas", "Kaya", "Lena", "Marek", "Nadia", "Olaf", "Petra", "Quentin", "Rosa", "Sven", "Tariq", "Ulla", "Viktor", "Wanda", "Yusuf", "Zofia", "Agnes", "Bruno", "Chloe", "Dario", "Edda"]  # fmt: skip
LAST = ["Abel", "Brandt", "Costa", "Dietz", "Egger", "Farkas", "Gruber", "Holm", "Ibsen", "Jansky", "Keller", "Lindt", "Moreau", "Novak", "Ortega", "Petit", "Quist", "Rossi", "Sato", "Tanner", "Ullman", "Vidal", "Weber", "Young", "Zeman", "Barlow", "Crane", "Dobson", "Ennis", "Foley"]  # fmt: skip
PLACES = ["Arden", "Brixham", "Calder", "Dornach", "Eskdale", "Fulda", "Gandria", "Holbeck", "Ilmenau", "Jarrow", "Kirkby", "Lorch", "Menton", "Norden", "Oakham", "Peebles", "Rivas", "Selby", "Thun", "Udine", "Verden", "Wells", "Yarm", "Zarnow", "Alston", "Bremer", "Clun", "Deal"]  # fmt: skip
ORGS = ["Harbour Trust", "Kiln Cooperative", "Meridian Clinic", "Oakfield School", "Northgate Housing", "Tessel Software", "Alder Logistics", "Blue Heron Library", "Copper Street Theatre", "Delta Water Board", "Ember Foods", "Foxglove Nursery", "Gable Insurance", "Hollow Brook Mill", "Inlet Ferries", "Juniper Labs", "Kestrel Rail", "Lantern Hotels", "Moss Valley Council", "Nimbus Hosting"]  # fmt: skip
TITLES = ["{o}: house rules", "Staff handbook of {o}", "{o}, minutes of the spring meeting", "Operating manual, {o}", "{o} API reference", "{o}: terms of service", "Leaflet for guests of {o}", "{o}, yearly report", "Specification, {o}", "{o}: notes for new people", "Tenancy terms, {o}", "{o}, project plan"]  # fmt: skip
HEADINGS = ["General", "Scope", "Details", "Section 2", "What to know", "Terms", "Notes", "Rules", "Overview", "Background"]  # fmt: skip
WITNESSES = ["an anonymous post", "a neighbour", "the sales brochure", "a former manager", "one of the visitors", "a competitor", "a note on the door", "the caretaker", "a chat message", "the tabloid Morning Post", "an unsigned letter", "a caller", "the vendor's advertisement", "a trainee"]  # fmt: skip
ITEMS = ["a hammer", "a torch", "gloves", "a first-aid box", "two ropes", "a whistle", "the manual", "a spare fuse", "an adapter", "batteries", "a tripod", "a lens cloth", "the charger", "a carrying case", "a measuring tape", "sealant", "a brush", "cable ties", "a padlock", "safety goggles", "a bicycle pump", "a stove", "tent pegs", "a water filter", "blankets"]  # fmt: skip
SETTING_PARTS = (
    [
        "max",
        "min",
        "default",
        "cache",
        "retry",
        "upload",
        "session",
        "login",
        "token",
        "export",
        "mail",
        "index",
        "queue",
        "page",
        "worker",
    ],
    [
        "size",
        "time",
        "count",
        "limit",
        "path",
        "mode",
        "name",
        "level",
        "host",
        "depth",
        "ratio",
        "format",
        "policy",
        "region",
    ],
)
COLUMNS = pairs("""
Price in euros / price
Weight in kg / weight
Staff / number of staff
Visitors / number of visitors
Rooms / number of rooms
Length in m / length
Output in kW / output
Orders / number of orders
Fee in pounds / fee
Seats / number of seats
Depth in cm / depth
Members / number of members
Rent in euros / rent
Duration in days / duration
Score / score
Tonnes shipped / amount shipped
Calls / number of calls
Budget in pounds / budget
Pages / number of pages
Age in years / age
""")
ROWS = ["Model A", "Model B", "Model C", "Model D", "Model E", "Northern branch", "Southern branch", "Eastern branch", "Western branch", "Basic plan", "Team plan", "Business plan", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Pump P1", "Pump P2", "Pump P3", "January", "February", "March", "April", "May", "Hall 1", "Hall 2", "Hall 3", "Hall 4", "Line 10", "Line 11", "Line 12", "Line 14"]  # fmt: skip
COMPARED = pairs("""
heavier than / lighter than
dearer than / cheaper than
quieter than / louder than
newer than / older than
faster than / slower than
taller than / shorter than
warmer than / colder than
stricter than / laxer than
easier to clean than / harder to clean than
closer to the station than / farther from the station than
more reliable than / less reliable than
better insulated than / worse insulated than
wider than / narrower than
brighter than / darker than
busier than / less busy than
safer than / more dangerous than
bigger than / smaller than
fuller than / emptier than
earlier than / later than
deeper than / shallower than
thicker than / thinner than
more popular than / less popular than
""")
COMPARABLE = ["the red van", "the blue van", "the old kiln", "the new kiln", "the east hall", "the west hall", "the short course", "the long course", "plan A", "plan B", "the first draft", "the second draft", "the copper pipe", "the plastic pipe", "the ground-floor flat", "the attic flat", "the July tariff", "the March tariff", "the paper form", "the online form", "the diesel pump", "the electric pump"]  # fmt: skip
