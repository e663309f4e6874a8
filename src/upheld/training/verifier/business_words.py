"""What our grammar of users' documents is made of: people, acts, conditions, measures, events.

Most entries are two wordings of one thing, divided by `/`: a passage uses one and a claim the
other, so that true claims are paraphrases and not copies.
"""

# ruff: noqa: E501  (one entry of a list, or one form, is one line)

from __future__ import annotations

Pair = tuple[str, str]


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.strip().splitlines() if line.strip())


def _pairs(text: str) -> tuple[Pair, ...]:
    found = (tuple(part.strip() for part in line.split(" / ")) for line in _lines(text))
    return tuple((one, two) for one, two in found)


ACTORS = _pairs("""
drivers / people who drive
tenants / those who rent
members of staff / employees
visitors / guests
suppliers / firms that deliver to us
trainees / people in training
nurses on duty / the nursing staff
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
librarians / the library's staff
dealers / authorised sellers
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
ACTS = _pairs("""
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
""")
CONDITIONS = _pairs("""
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
EXCEPTIONS = _pairs("""
except on public holidays / public holidays excluded
except in December / in every month but December
with the exception of the north wing / in all parts but the north wing
other than in an emergency / unless there is an emergency
except for those under eighteen / apart from minors
except when the fire alarm sounds / save when the fire alarm goes off
apart from the weeks of the audit / but not in the weeks of the audit
except on the ground floor / on all floors but the lowest
unless a court orders otherwise / a court order aside
except during school holidays / outside school holidays
with the exception of temporary contracts / temporary contracts aside
except where gas is stored / but not where gas is kept
apart from the first month / from the second month on
except by night / by day only
""")
REASONS = _pairs("""
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
HAPPENED = _pairs("""
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
STEPS = _pairs("""
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
# What is measured: how a passage says it, how claims say it, the unit, smallest and largest value.
MEASURES = tuple(
    tuple(part.strip() for part in line.split(" / "))
    for line in _lines("""
A session ends after {v} without activity. / Anyone inactive for {v} is logged out. / minutes / 5 90
The notice period is {v}. / Notice has to be given {v} ahead. / weeks / 2 26
Invoices fall due {v} after they are issued. / There are {v} in which to pay an invoice. / days / 7 90
The battery lasts {v} on one charge. / One charge is good for {v} of use. / hours / 3 40
Backups are kept for {v}. / A backup can be restored for {v}. / days / 5 120
The tank holds {v}. / It takes {v} to fill the tank. / litres / 20 900
The platform carries {v}. / A load of {v} is what the platform bears. / kilograms / 80 950
The cable is {v} long. / The length of the cable comes to {v}. / metres / 3 80
A day ticket costs {v}. / One has to pay {v} for a day ticket. / euros / 4 95
The deposit for a locker is {v}. / Whoever takes a locker leaves {v} as a deposit. / pounds / 5 60
The course runs for {v}. / It takes {v} to complete the course. / weeks / 3 30
Files of up to {v} can be uploaded. / The size limit for uploads is {v}. / MB / 5 500
The request times out after {v}. / A request gets {v} before it is given up. / seconds / 3 90
The walk to the hut takes {v}. / Hikers need {v} to reach the hut. / minutes / 15 200
The warranty on the motor covers {v}. / The motor is under warranty for {v}. / months / 6 60
The mortar has to dry for {v}. / Drying takes the mortar {v}. / hours / 2 72
The kiln is heated to {v}. / The temperature of the kiln reaches {v}. / degrees / 200 1300
The fence stands {v} from the track. / Between track and fence there are {v}. / metres / 2 50
Membership costs {v} a year. / The yearly price of membership is {v}. / dollars / 10 400
Each dose contains {v} of the active substance. / There are {v} of the active substance in a dose. / mg / 5 800
The turbine delivers {v}. / The output of the turbine is {v}. / kW / 20 900
The plot measures {v}. / The size of the plot is {v}. / hectares / 2 60
The trial period lasts {v}. / For {v} the service can be tried. / days / 7 60
Probation lasts {v}. / New people are on probation for {v}. / months / 2 12
The parcel may weigh {v}. / The weight allowed for a parcel is {v}. / kilograms / 2 40
Retention of call recordings is limited to {v}. / Recordings of calls are erased after {v}. / days / 10 180
The pool is {v} deep. / The depth of the pool is {v}. / metres / 2 9
Speakers get {v} each. / The time for each speaker is {v}. / minutes / 5 45
The cache is cleared every {v}. / Between two clearings of the cache lie {v}. / hours / 2 48
The pledge raised {v} for the hospice. / Thanks to the pledge the hospice got {v}. / pounds / 200 9000
""")
)
UNITS = {
    "minutes": ("seconds", "hours"), "weeks": ("days", "months"), "days": ("weeks", "hours"),
    "hours": ("minutes", "days"), "litres": ("millilitres", "gallons"),
    "kilograms": ("grams", "tonnes"), "metres": ("centimetres", "kilometres"),
    "euros": ("dollars", "pounds"), "pounds": ("euros", "dollars"), "MB": ("GB", "kB"),
    "seconds": ("minutes", "milliseconds"), "months": ("weeks", "years"),
    "degrees": ("kelvins",), "dollars": ("euros", "cents"), "mg": ("g", "micrograms"),
    "kW": ("MW", "W"), "hectares": ("acres", "square metres"),
}  # fmt: skip
# Counted things, for numbers in words, sums and shares.
COUNTED = tuple(
    tuple(part.strip() for part in line.split(" / "))
    for line in _lines("""
The committee has {n} members. / {N} people sit on the committee.
There are {n} exits on this floor. / This floor can be left through {n} exits.
The kit comes with {n} screws. / {N} screws are supplied with the kit.
The house is divided into {n} flats. / There are {n} flats in the house.
The tour visits {n} towns. / {N} towns are visited on the tour.
Each team is made up of {n} players. / A team consists of {n} players.
The form runs to {n} pages. / One fills in {n} pages of the form.
The depot owns {n} vans. / {N} vans belong to the depot.
The course has {n} modules. / Somebody who takes the course goes through {n} modules.
The archive employs {n} people. / {N} people work at the archive.
The panel heard {n} witnesses. / {N} witnesses spoke to the panel.
The shelter offers {n} beds. / There is room for {n} sleepers in the shelter.
The system retries {n} times. / A failed call is repeated {n} times.
The ferry sails {n} times a day. / There are {n} sailings a day.
The garden counts {n} plum trees. / {N} plum trees grow in the garden.
The jury awarded {n} prizes. / {N} prizes were given by the jury.
""")
)
# Each line: a state and its opposite, as a passage tells them and as claims do.
STATES = tuple(
    tuple(part.strip() for part in line.split(" / "))
    for line in _lines("""
The tap water is safe to drink. / The tap water is unsafe to drink. / One can drink from the tap. / One should not drink from the tap.
Attendance is voluntary. / Attendance is compulsory. / People are free to stay away. / People are not free to stay away.
Telemetry is enabled by default. / Telemetry is disabled by default. / Usage data are sent unless one stops it. / No usage data are sent unless one asks for it.
The valve is normally open. / The valve is normally closed. / In its usual state the valve lets liquid through. / In its usual state the valve holds liquid back.
The proposal was accepted. / The proposal was rejected. / The meeting said yes to the proposal. / The meeting said no to the proposal.
Sales rose in the second quarter. / Sales fell in the second quarter. / The second quarter brought an increase in sales. / The second quarter brought a decrease in sales.
The path is passable in winter. / The path is impassable in winter. / In winter the path can be walked. / In winter the path cannot be walked.
The position is permanent. / The position is temporary. / The post has no end date. / The post ends at a fixed date.
The meeting is public. / The meeting is private. / Anybody may sit in on the meeting. / Outsiders may not sit in on the meeting.
The lake freezes early. / The lake freezes late. / Ice forms on the lake early in the season. / Ice forms on the lake late in the season.
The paint dries quickly. / The paint dries slowly. / Drying does not take the paint long. / Drying takes the paint a long time.
The contract was renewed. / The contract was terminated. / The contract goes on. / The contract has come to an end.
Breakfast is included in the price. / Breakfast is charged separately. / Guests pay nothing extra for breakfast. / Guests pay extra for breakfast.
The device is waterproof. / The device must be kept dry. / The device can get wet without harm. / The device is harmed by water.
The trial was a success. / The trial was a failure. / The trial went well. / The trial went badly.
The method call is synchronous. / The method call is asynchronous. / The caller waits until the method is done. / The caller goes on while the method runs.
The road is wide enough for lorries. / The road is too narrow for lorries. / Lorries fit on the road. / Lorries do not fit on the road.
The field is optional. / The field is required. / The field can be left empty. / The field has to be filled in.
Stocks of paper are ample. / Stocks of paper are scarce. / There is plenty of paper. / There is little paper.
The data are encrypted at rest. / The data are stored unencrypted. / Stored data are protected by encryption. / Stored data are not protected by encryption.
The slope faces north. / The slope faces south. / The slope looks to the north. / The slope looks to the south.
The new route is shorter. / The new route is longer. / One travels less far on the new route. / One travels farther on the new route.
The tenant pays for heating. / The landlord pays for heating. / Heating is at the expense of the tenant. / Heating is at the expense of the landlord.
Visitors enter free of charge. / Visitors pay to enter. / Getting in costs nothing. / Getting in costs money.
The grant may be spent on wages. / The grant may not be spent on wages. / Wages can be met from the grant. / Wages cannot be met from the grant.
The index is sorted in ascending order. / The index is sorted in descending order. / The smallest entries of the index come first. / The largest entries of the index come first.
The club gained members last year. / The club lost members last year. / Membership of the club grew last year. / Membership of the club shrank last year.
The seller bears the cost of return. / The buyer bears the cost of return. / Sending goods back is paid for by the seller. / Sending goods back is paid for by the buyer.
The lamp is on while charging. / The lamp is off while charging. / The lamp glows during charging. / The lamp stays dark during charging.
Smoking is permitted on the terrace. / Smoking is prohibited on the terrace. / One may smoke on the terrace. / One must not smoke on the terrace.
""")
)
FIRST = ["Aylin", "Boris", "Carla", "Dragan", "Elif", "Femi", "Greta", "Hanna", "Ivo", "Jonas", "Kaya", "Lena", "Marek", "Nadia", "Olaf", "Petra", "Quentin", "Rosa", "Sven", "Tariq", "Ulla", "Viktor", "Wanda", "Yusuf", "Zofia", "Agnes", "Bruno", "Chloe", "Dario", "Edda"]  # fmt: skip
LAST = ["Abel", "Brandt", "Costa", "Dietz", "Egger", "Farkas", "Gruber", "Holm", "Ibsen", "Jansky", "Keller", "Lindt", "Moreau", "Novak", "Ortega", "Petit", "Quist", "Rossi", "Sato", "Tanner", "Ullman", "Vidal", "Weber", "Young", "Zeman", "Barlow", "Crane", "Dobson", "Ennis", "Foley"]  # fmt: skip
PLACES = ["Arden", "Brixham", "Calder", "Dornach", "Eskdale", "Fulda", "Gandria", "Holbeck", "Ilmenau", "Jarrow", "Kirkby", "Lorch", "Menton", "Norden", "Oakham", "Peebles", "Rivas", "Selby", "Thun", "Udine", "Verden", "Wells", "Yarm", "Zarnow", "Alston", "Bremer", "Clun", "Deal"]  # fmt: skip
ORGS = ["Harbour Trust", "Kiln Cooperative", "Meridian Clinic", "Oakfield School", "Northgate Housing", "Tessel Software", "Alder Logistics", "Blue Heron Library", "Copper Street Theatre", "Delta Water Board", "Ember Foods", "Foxglove Nursery", "Gable Insurance", "Hollow Brook Mill", "Inlet Ferries", "Juniper Labs", "Kestrel Rail", "Lantern Hotels", "Moss Valley Council", "Nimbus Hosting"]  # fmt: skip
TITLES = ["{o}: house rules", "Staff handbook of {o}", "{o}, minutes of the spring meeting", "Operating manual, {o}", "{o} API reference", "{o}: terms of service", "Leaflet for guests of {o}", "{o}, yearly report", "Specification, {o}", "{o}: notes for new people", "Tenancy terms, {o}", "{o}, project plan"]  # fmt: skip
HEADINGS = ["General", "Scope", "Details", "Section 2", "What to know", "Terms", "Notes", "Rules", "Overview", "Background"]  # fmt: skip
POSTS = _pairs("""
chairs the finance committee / is in the chair of the finance committee
is the contact for press questions / answers questions from the press
runs the workshop / is in charge of the workshop
signs off the payroll / gives final approval to the payroll
trains the new drivers / gives new drivers their training
keeps the minutes / writes the minutes
is responsible for fire safety / answers for fire safety
orders the spare parts / is the one who orders spare parts
maintains the website / looks after the website
leads the night shift / is at the head of the night shift
represents the tenants / speaks for the tenants
audits the accounts / checks the accounts
handles complaints / deals with complaints
holds the master key / has the master key in keeping
""")
TOWARDS = _pairs("""
{a} reports to {b}. / {b} is the superior of {a}.
{a} replaced {b} in March. / In March {b} gave way to {a}.
{a} lent the projector to {b}. / {b} borrowed the projector from {a}.
{a} sold the van to {b}. / {b} bought the van from {a}.
{a} nominated {b} for the post. / {b} was put forward for the post by {a}.
{a} trained {b}. / {b} learned the job from {a}.
{a} owes {b} 200 pounds. / {b} is to get 200 pounds from {a}.
{a} was hired by {b}. / {b} gave {a} the job.
{a} inspected the work of {b}. / The work of {b} was inspected by {a}.
{a} wrote to {b} about the delay. / {b} got a letter on the delay from {a}.
{a} beat {b} in the final vote. / {b} lost the final vote to {a}.
{a} lets the shop to {b}. / {b} rents the shop from {a}.
""")
PLACED = _pairs("""
The spare keys are kept in {p}. / One finds the spare keys in {p}.
The head office is in {p}. / {p} is the seat of the head office.
The autumn meeting is held in {p}. / {p} hosts the autumn meeting.
Returned goods are sent to {p}. / {p} is where returned goods go.
The second data centre stands in {p}. / A second data centre was set up in {p}.
The pump was built in {p}. / {p} is where the pump was made.
Training takes place in {p}. / For training people go to {p}.
The line ends in {p}. / {p} is the last stop of the line.
The archive was moved to {p}. / {p} now houses the archive.
The samples are tested in {p}. / Testing of the samples is done in {p}.
""")
DATED = _pairs("""
The new tariff applies from {d}. / {d} is when the new tariff starts.
Applications close on {d}. / One can apply until {d}.
The lift is inspected on {d}. / The inspection of the lift is set for {d}.
The lease ends on {d}. / {d} is the last day of the lease.
The museum reopens on {d}. / Visitors can come again on {d}.
Version 4 was released on {d}. / Since {d} version 4 has been out.
The summer school starts on {d}. / {d} is the first day of the summer school.
The minutes were approved on {d}. / Approval of the minutes came on {d}.
The old endpoint is removed on {d}. / After {d} the old endpoint is gone.
The well was drilled on {d}. / Drilling of the well took place on {d}.
""")
WITNESSES = ["an anonymous post", "a neighbour", "the sales brochure", "a former manager", "one of the visitors", "a competitor", "a note on the door", "the caretaker", "a chat message", "the tabloid Morning Post", "an unsigned letter", "a caller", "the vendor's advertisement", "a trainee"]  # fmt: skip
ITEMS = ["a hammer", "a torch", "gloves", "a first-aid box", "two ropes", "a whistle", "the manual", "a spare fuse", "an adapter", "batteries", "a tripod", "a lens cloth", "the charger", "a carrying case", "a measuring tape", "sealant", "a brush", "cable ties", "a padlock", "safety goggles", "a bicycle pump", "a stove", "tent pegs", "a water filter", "blankets"]  # fmt: skip
GROUPS = _pairs("""
The rescue kit contains {items}. / {X} belongs to the rescue kit.
The price covers {items}. / {X} is covered by the price.
Each locker holds {items}. / One finds {x} in each locker.
Guests have to bring {items}. / Guests are asked to bring {x}.
The workshop sells {items}. / {X} can be bought at the workshop.
The following is banned from the hall: {items}. / It is not allowed to bring {x} into the hall.
The delivery of Monday included {items}. / {X} came with Monday's delivery.
""")
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
COLUMNS = _pairs("""
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
""")
ROWS = ["Model A", "Model B", "Model C", "Model D", "Model E", "Northern branch", "Southern branch", "Eastern branch", "Western branch", "Basic plan", "Team plan", "Business plan", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Pump P1", "Pump P2", "Pump P3", "January", "February", "March", "April", "May", "Hall 1", "Hall 2", "Hall 3", "Hall 4", "Line 10", "Line 11", "Line 12", "Line 14"]  # fmt: skip
COMPARED = _pairs("""
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
""")
COMPARABLE = ["the red van", "the blue van", "the old kiln", "the new kiln", "the east hall", "the west hall", "the short course", "the long course", "plan A", "plan B", "the first draft", "the second draft", "the copper pipe", "the plastic pipe", "the ground-floor flat", "the attic flat", "the July tariff", "the March tariff", "the paper form", "the online form", "the diesel pump", "the electric pump"]  # fmt: skip
